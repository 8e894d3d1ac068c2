import { hash } from 'node:crypto';
import type { Usage } from '../../contract/chat.ts';
import { chatCost } from '../../contract/prices.ts';
import { drawFrom } from '../../model/workload/draw.ts';
import { readRequestBody } from '../http/request-body.ts';
import { createdAt } from '../http/model-list.ts';
import { type ParsedChat, parseChat } from './chat-request.ts';
import { ChunkFrames, StreamedAnswer } from './streamed-answer.ts';
import { generateCompletion, type Completion } from './completion.ts';
import { type AdmittedRequest, type Handler, openEventStream } from '../http/send-answer.ts';
import type { TokenSink } from '../serving/token-schedule.ts';

/** Charges the limits of a chat that has ended: its prompt and the tokens that were written. */
const chargeTokens = ({ admitted, chat }: ChatExchange, output: number): void =>
  admitted.permit.charge(admitted.clock.now(), chat.promptTokens + output);

const freePrices = { input: 0, output: 0 };

/** Charges the limits and the credits of a chat that has ended. */
const chargeAndBill = (chatExchange: ChatExchange, output: number): void => {
  chargeTokens(chatExchange, output);
  const { admitted, chat } = chatExchange;
  const { model, promptTokens: input, stream } = chat;
  admitted.bill({
    kind: stream ? 'chat-stream' : 'chat',
    quantities: { inputTokens: input, outputTokens: output },
    micros: chatCost({ input, output }, admitted.settings.prices[model] ?? freePrices),
  });
};

/** An answer without a token takes one step too. */
const stepsOf = ({ completion }: ChatExchange): number => Math.max(1, completion.tokens.length);

/** Passes the tokens to `sink` when they are due; if the request ends before, cancels them and calls `onCancelled`. */
const serveChat = (chatExchange: ChatExchange, sink: TokenSink, onCancelled: () => void): void => {
  const { model, promptTokens, prompt } = chatExchange.chat;
  const { exchange, clock, serving } = chatExchange.admitted;
  exchange.trace?.setFields({ queued: clock.now() });
  const steps = stepsOf(chatExchange);
  const cancel = serving.serve({ model, promptTokens, prompt, steps }, sink);
  const interrupt = (): void => {
    cancel();
    onCancelled();
  };
  exchange.onInterruption = interrupt;
};

/** The message of a non-streamed response; a call as in the OpenAI API, since the interface leaves it open (4.1). */
const messageOf = ({ toolCall, tokens }: Completion) => {
  const text = tokens.join('');
  if (toolCall === null) return { role: 'assistant', content: text };
  const { id, name } = toolCall;
  const call = { id, type: 'function', function: { name, arguments: text } };
  return { role: 'assistant', content: null, tool_calls: [call] };
};

/** Sends a non-streamed response when the last token of a stream would be due. */
const answerWhole = (chatExchange: ChatExchange): void => {
  const { id, chat, completion, usage, admitted } = chatExchange;
  const { exchange } = admitted;
  const { length } = completion.tokens;
  const emit: TokenSink['emit'] = (from, to, at) => {
    if (from === 0) exchange.trace?.setFields({ prefillEnd: at.dueOf(0) });
    if (to < stepsOf(chatExchange)) return;
    chargeAndBill(chatExchange, length);
    exchange.counters.tokens.output += length;
    const message = messageOf(completion);
    exchange.answerJson('completed.chat', 200, {
      id,
      object: 'chat.completion',
      created: createdAt,
      model: chat.model,
      choices: [{ index: 0, message, finish_reason: completion.finish }],
      usage,
    });
  };
  serveChat(chatExchange, { emit }, () => chargeTokens(chatExchange, 0));
};

const answerStream = (chatExchange: ChatExchange): void => {
  const { id, chat, completion, usage, admitted } = chatExchange;
  const { exchange } = admitted;
  const stream = openEventStream(exchange);
  const frames = new ChunkFrames(id, chat.model, completion.toolCall, chat.streamUsage);
  const answer = new StreamedAnswer({ exchange, tokens: completion.tokens, frames, stream }, () => {
    chargeAndBill(chatExchange, answer.sent);
    exchange.recordEnd('completed.chat-stream');
    return frames.end(completion.finish, usage);
  });
  serveChat(chatExchange, answer, () => chargeAndBill(chatExchange, answer.sent));
};

/** The tokens that a gateway reserves for a chat: one for four characters of the prompt, and the most that it may answer. */
const estimateOf = ({ prompt, maxTokens }: ParsedChat): number =>
  Math.ceil(prompt.reduce((sum, { length }) => sum + length, 0) / 4) + (maxTokens ?? 0);

const openChatExchange = (admitted: AdmittedRequest, chat: ParsedChat, body: Uint8Array) => {
  const { exchange, key, settings } = admitted;
  const { promptTokens } = chat;
  exchange.counters.tokens.input += promptTokens;
  // The seed of the request's random content: the client's request id, else key and body.
  const seed = exchange.clientId ?? Buffer.concat([Buffer.from(`${key}\0`), body]);
  const digest = hash('sha256', seed, 'buffer');
  const draw = drawFrom(settings.seed, ...new Uint32Array(digest.buffer, digest.byteOffset, 4));
  const tokensLeft = settings.contextTokens - promptTokens;
  const { min, max } = settings.outputTokens;
  const length = { min: Math.min(min, tokensLeft), max: Math.min(max, tokensLeft) };
  const completion = generateCompletion(draw, chat, length);
  const { length: written } = completion.tokens;
  const usage: Usage = {
    prompt_tokens: promptTokens,
    completion_tokens: written,
    total_tokens: promptTokens + written,
  };
  return { admitted, id: `chatcmpl-${digest.toString('hex', 0, 12)}`, chat, completion, usage };
};

/** A chat and its answer. */
type ChatExchange = ReturnType<typeof openChatExchange>;

/** POST /chat/completions (interface 4.1). */
export const answerChat: Handler = (admitted) => {
  const { exchange, settings, permit, clock } = admitted;
  readRequestBody(exchange, (body) => {
    const chat = parseChat(body, settings);
    const limitExceeded = permit.reserve(clock.now(), estimateOf(chat));
    if (limitExceeded !== null) return admitted.refuseByLimit(limitExceeded);
    const chatExchange = openChatExchange(admitted, chat, body);
    if (chat.stream) answerStream(chatExchange);
    else answerWhole(chatExchange);
  });
};
