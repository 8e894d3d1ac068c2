import { hash } from 'node:crypto';
import type { Usage } from '../contract/chat.ts';
import { chatCost } from '../contract/prices.ts';
import { drawFrom } from '../model/draw.ts';
import { takeBody } from './body.ts';
import { created } from './catalogue.ts';
import { type Chat, readChat } from './chat-request.ts';
import { ChunkFrames } from './chunk-frames.ts';
import { complete, type Completion } from './completion.ts';
import { openEventStream } from './event-stream.ts';
import type { Admitted, Handler } from './handler.ts';
import type { Speaker } from './serving/pace.ts';
import { StreamedAnswer } from './streamed-answer.ts';

/** A chat under way: what was asked, and what will be answered. */
interface Talk {
  readonly id: string;
  readonly chat: Chat;
  readonly completion: Completion;
}

const usageOf = ({ chat, completion }: Talk): Usage => ({
  prompt_tokens: chat.promptTokens,
  completion_tokens: completion.tokens.length,
  total_tokens: chat.promptTokens + completion.tokens.length,
});

/** Charges a chat that has ended: its prompt, and of its answer what was handed over. */
const charge = ({ permit, clock }: Admitted, { chat }: Talk, output: number): void =>
  permit.charge(clock.now(), chat.promptTokens + output);

const free = { input: 0, output: 0 };

/** Charges a chat and bills it: its prompt, and of its answer what was handed over. */
const settleUp = (admitted: Admitted, talk: Talk, output: number): void => {
  charge(admitted, talk, output);
  const { model, promptTokens: input, stream } = talk.chat;
  admitted.buy({
    kind: stream ? 'chat-stream' : 'chat',
    quantities: { inputTokens: input, outputTokens: output },
    micros: chatCost({ input, output }, admitted.settings.prices[model] ?? free),
  });
};

/** An answer without a token takes one step all the same. */
const stepsOf = ({ completion }: Talk): number => Math.max(1, completion.tokens.length);

/** Lets the answer have its time; a request that ends before calls it off, and `abandon` runs instead. */
const serve = (admitted: Admitted, talk: Talk, speaker: Speaker, abandon: () => void): void => {
  const { model, promptTokens, prompt } = talk.chat;
  const job = { model, promptTokens, prompt, steps: stepsOf(talk) };
  const { exchange, clock, serving } = admitted;
  exchange.witness?.note({ queued: clock.now() });
  const cancel = serving.serve(job, speaker);
  exchange.onInterruption(() => {
    cancel();
    abandon();
  });
};

/** The message of a whole answer; a call as the OpenAI API has it, since the interface leaves it open (4.1). */
const messageOf = ({ call, tokens }: Completion) => {
  const text = tokens.join('');
  if (call === null) return { role: 'assistant', content: text };
  const calls = [{ id: call.id, type: 'function', function: { name: call.name, arguments: text } }];
  return { role: 'assistant', content: null, tool_calls: calls };
};

/** Answers in one piece, when a stream would have brought its last token. */
const answerWhole = (admitted: Admitted, talk: Talk): void => {
  const { exchange } = admitted;
  const { tokens, finish } = talk.completion;
  const answer = (): void => {
    settleUp(admitted, talk, tokens.length);
    exchange.tally.tokens.output += tokens.length;
    exchange.answer('completed.chat', 200, {
      id: talk.id,
      object: 'chat.completion',
      created,
      model: talk.chat.model,
      choices: [{ index: 0, message: messageOf(talk.completion), finish_reason: finish }],
      usage: usageOf(talk),
    });
  };
  const steps = stepsOf(talk);
  const emit: Speaker['emit'] = (from, to, at) => {
    if (from === 0) exchange.witness?.note({ prefillEnd: at.dueOf(0) });
    if (to === steps) answer();
  };
  serve(admitted, talk, { emit }, () => charge(admitted, talk, 0));
};

/** Answers token by token. */
const answerStream = (admitted: Admitted, talk: Talk): void => {
  const { exchange } = admitted;
  const { id, chat, completion } = talk;
  const stream = openEventStream(exchange);
  const frames = new ChunkFrames(id, chat.model, completion.call, chat.streamUsage);
  const answer = new StreamedAnswer({ exchange, tokens: completion.tokens, frames, stream }, () => {
    settleUp(admitted, talk, answer.sent);
    exchange.settle('completed.chat-stream');
    return frames.end(completion.finish, usageOf(talk));
  });
  serve(admitted, talk, answer, () => settleUp(admitted, talk, answer.sent));
};

/** What a gateway that reserves takes a chat to use: four characters of the prompt for a token, and all that it may answer. */
const estimateOf = ({ prompt, maxTokens }: Chat): number =>
  Math.ceil(prompt.reduce((sum, { length }) => sum + length, 0) / 4) + (maxTokens ?? 0);

/** What the request's randomness is keyed by: the id its client gave it, else its key and body. */
const digestOf = ({ exchange, key }: Admitted, body: Uint8Array): Buffer =>
  hash('sha256', exchange.clientId ?? Buffer.concat([Buffer.from(`${key}\0`), body]), 'buffer');

const begin = (admitted: Admitted, chat: Chat, digest: Buffer): Talk => {
  const { exchange, settings } = admitted;
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
      form: chat.form,
      tools: chat.tools,
    }),
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
