import { createHash } from 'node:crypto';
import type { Usage } from '../contract/chat.ts';
import { chatCost } from '../contract/prices.ts';
import { drawFrom } from '../model/draw.ts';
import { answerAt } from './answer-at.ts';
import { takeBody } from './body.ts';
import { created } from './catalogue.ts';
import { type Chat, readChat } from './chat-request.ts';
import { chunkFrames } from './chunk-frames.ts';
import { complete, type Completion } from './completion.ts';
import { openEventStream } from './event-stream.ts';
import type { Admitted, Handler } from './handler.ts';
import { pace } from './pace.ts';

/** A chat under way: what was asked, what will be answered, and when it began. */
interface Talk {
  readonly id: string;
  readonly chat: Chat;
  readonly completion: Completion;
  readonly begin: number;
}

const usageOf = ({ chat, completion }: Talk): Usage => ({
  prompt_tokens: chat.promptTokens,
  completion_tokens: completion.tokens.length,
  total_tokens: chat.promptTokens + completion.tokens.length,
});

/** Charges a chat that has ended: its prompt, and of its answer what was handed over. */
const charge = ({ permit, clock }: Admitted, { chat }: Talk, output: number): void =>
  permit.charge(clock.now(), chat.promptTokens + output);

/** Charges and bills a chat that is answered completely. */
const settleUp = (admitted: Admitted, talk: Talk): void => {
  const { exchange, settings } = admitted;
  const output = talk.completion.tokens.length;
  charge(admitted, talk, output);
  const price = settings.prices[talk.chat.model];
  if (price !== undefined) {
    exchange.tally.billed.micros += chatCost({ input: talk.chat.promptTokens, output }, price);
  }
};

/** Answers in one piece, when a stream would have brought its last token. */
const answerWhole = (admitted: Admitted, talk: Talk): void => {
  const { exchange, settings } = admitted;
  const { tokens, finish } = talk.completion;
  const answer = (): void => {
    settleUp(admitted, talk);
    exchange.tally.tokens.output += tokens.length;
    exchange.answer('completed.chat', 200, {
      id: talk.id,
      object: 'chat.completion',
      created,
      model: talk.chat.model,
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: tokens.join('') },
          finish_reason: finish,
        },
      ],
      usage: usageOf(talk),
    });
  };
  const due = talk.begin + settings.ttft + Math.max(0, tokens.length - 1) * settings.gap;
  answerAt(admitted, due, answer, () => charge(admitted, talk, 0));
};

/** Answers token by token; the role comes with the first token, the end with the last. */
const answerStream = (admitted: Admitted, talk: Talk): void => {
  const { exchange, settings, clock } = admitted;
  const { tokens, finish } = talk.completion;
  const stream = openEventStream(exchange);
  const frames = chunkFrames(talk.id, talk.chat.model, talk.chat.streamUsage);
  const steps = Math.max(1, tokens.length);
  let sent = 0;
  const emit = (from: number, to: number): void => {
    let events = from === 0 ? frames.role : '';
    for (const token of tokens.slice(from, to)) events += frames.token(token);
    sent = Math.min(to, tokens.length);
    exchange.tally.tokens.output += sent - from;
    if (to < steps) {
      stream.write(events);
      return;
    }
    settleUp(admitted, talk);
    exchange.settle('completed.chat-stream');
    stream.write(events + frames.end(finish, usageOf(talk)));
    stream.end();
  };
  const cancel = pace(clock, { first: talk.begin + settings.ttft, gap: settings.gap, steps }, emit);
  exchange.onInterruption(() => {
    cancel();
    charge(admitted, talk, sent);
  });
};

/** What a gateway that reserves takes a chat to use: four characters of the prompt for a token, and all that it may answer. */
const estimateOf = ({ promptCharacters, maxTokens }: Chat): number =>
  Math.ceil(promptCharacters / 4) + (maxTokens ?? 0);

/** What the request's randomness is keyed by: the id its client gave it, else its key and body. */
const digestOf = ({ exchange, key }: Admitted, body: Uint8Array): Buffer => {
  const hash = createHash('sha256');
  if (exchange.clientId !== null) return hash.update(exchange.clientId).digest();
  return hash.update(key).update('\0').update(body).digest();
};

const begin = (admitted: Admitted, chat: Chat, digest: Buffer): Talk => {
  const { exchange, settings, clock } = admitted;
  exchange.tally.tokens.input += chat.promptTokens;
  const room = settings.contextTokens - chat.promptTokens;
  const { min, max } = settings.outputTokens;
  const draw = drawFrom(settings.seed, ...new Uint32Array(digest.buffer, digest.byteOffset, 4));
  return {
    id: `chatcmpl-${digest.toString('hex', 0, 12)}`,
    chat,
    completion: complete(draw, {
      maxTokens: chat.maxTokens,
      length: { min: Math.min(min, room), max: Math.min(max, room) },
      stops: chat.stops,
    }),
    begin: clock.now(),
  };
};

/** POST /chat/completions (interface 4.1). */
export const answerChat: Handler = (admitted) => {
  const { exchange, settings } = admitted;
  takeBody(exchange, (body) => {
    const chat = readChat(body, settings);
    if ('cause' in chat) {
      exchange.refuse(chat);
      return;
    }
    const stopped = admitted.permit.reserve(admitted.clock.now(), estimateOf(chat));
    if (stopped !== null) {
      admitted.limited(stopped);
      return;
    }
    const talk = begin(admitted, chat, digestOf(admitted, body));
    if (chat.stream) answerStream(admitted, talk);
    else answerWhole(admitted, talk);
  });
};
