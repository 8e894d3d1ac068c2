import { hash } from 'node:crypto';
import type { Usage } from '../../contract/chat.ts';
import { chatCost } from '../../contract/prices.ts';
import { drawFrom } from '../../model/workload/draw.ts';
import { readRequestBody } from '../http/request-body.ts';
import { createdAt } from '../http/model-list.ts';
import { type ParsedChat, parseChat } from './chat-request.ts';
import { ChunkFrames, StreamedAnswer } from './streamed-answer.ts';
import { generateCompletion, type Completion } from './completion.ts';
import { tokenLogprob } from './token-logprobs.ts';
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

/** Choices are written side by side; an answer without a token takes one step too. */
const stepsOf = ({ completions }: ChatExchange): number =>
  Math.max(1, ...completions.map(({ tokens }) => tokens.length));

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

/** One choice of a non-streamed response. */
const choiceOf = (completion: Completion, index: number, topLogprobs: number | null) => {
  const { finish, toolCall, tokens } = completion;
  const choice = { index, message: messageOf(completion), finish_reason: finish };
  if (topLogprobs === null) return choice;
  const content =
    toolCall === null ? tokens.map((token) => tokenLogprob(token, topLogprobs)) : null;
  return { ...choice, logprobs: { content, refusal: null } };
};

/** Sends a non-streamed response when the last token of a stream would be due. */
const answerWhole = (chatExchange: ChatExchange): void => {
  const { id, chat, completions, usage, admitted } = chatExchange;
  const { exchange } = admitted;
  const { completion_tokens: written } = usage;
  const emit: TokenSink['emit'] = (from, to, at) => {
    if (from === 0) exchange.trace?.setFields({ prefillEnd: at.dueOf(0) });
    if (to < stepsOf(chatExchange)) return;
    chargeAndBill(chatExchange, written);
    exchange.counters.tokens.output += written;
    exchange.answerJson('completed.chat', 200, {
      id,
      object: 'chat.completion',
      created: createdAt,
      model: chat.model,
      choices: completions.map((each, index) => choiceOf(each, index, chat.topLogprobs)),
      usage,
    });
  };
  serveChat(chatExchange, { emit }, () => chargeTokens(chatExchange, 0));
};

const answerStream = (chatExchange: ChatExchange): void => {
  const { id, chat, completions, usage, admitted } = chatExchange;
  const { exchange } = admitted;
  const { model, streamUsage: withUsage, topLogprobs } = chat;
  const stream = openEventStream(exchange);
  const choices = completions.map((completion, index) => {
    const call = completion.toolCall;
    const frames = new ChunkFrames({ id, model, index, call, withUsage, topLogprobs });
    return { completion, frames };
  });
  const answer = new StreamedAnswer({ exchange, choices, stream }, () => {
    chargeAndBill(chatExchange, answer.sent);
    exchange.recordEnd('completed.chat-stream');
    return choices[0]!.frames.end(usage);
  });
  serveChat(chatExchange, answer, () => chargeAndBill(chatExchange, answer.sent));
};

/** The tokens that a gateway reserves for a chat: one for four characters of the prompt, and the most that it may answer. */
const estimateOf = ({ prompt, maxTokens, choices }: ParsedChat): number =>
  Math.ceil(prompt.reduce((sum, { length }) => sum + length, 0) / 4) + (maxTokens ?? 0) * choices;

const openChatExchange = (admitted: AdmittedRequest, chat: ParsedChat, body: Uint8Array) => {
  const { exchange, key, settings } = admitted;
  const { promptTokens } = chat;
  exchange.counters.tokens.input += promptTokens;
  // The seed of the request's random content: the client's request id, else key and body.
  const seed = exchange.clientId ?? Buffer.concat([Buffer.from(`${key}\0`), body]);
  const digest = hash('sha256', seed, 'buffer');
  const drawKey = [settings.seed, ...new Uint32Array(digest.buffer, digest.byteOffset, 4)];
  const tokensLeft = settings.contextTokens - promptTokens;
  const { min, max } = settings.outputTokens;
  const length = { min: Math.min(min, tokensLeft), max: Math.min(max, tokensLeft) };
  const completions = Array.from({ length: chat.choices }, (_, index) =>
    generateCompletion(drawFrom(...drawKey, ...(index === 0 ? [] : [index])), chat, length),
  );
  const written = completions.reduce((sum, { tokens }) => sum + tokens.length, 0);
  const usage: Usage = {
    prompt_tokens: promptTokens,
    completion_tokens: written,
    total_tokens: promptTokens + written,
  };
  return { admitted, id: `chatcmpl-${digest.toString('hex', 0, 12)}`, chat, completions, usage };
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
