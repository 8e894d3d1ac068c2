import { hash } from 'node:crypto';
import { type Usage, type ChatRequest, chatRequestSchema } from '../../contract/chat.ts';
import { chatCost } from '../../contract/prices.ts';
import { drawFrom } from '../../model/workload/draw.ts';
import { readRequestBody, readJsonBody, unservedField } from '../http/request-body.ts';
import { createdAt, checkModel } from '../http/model-list.ts';
import { ChunkFrames, StreamedAnswer } from './streamed-answer.ts';
import {
  generateCompletion,
  type Completion,
  type CompletionOptions,
  type Tool,
} from './completion.ts';
import { tokenLogprob, countTokens } from './tokens.ts';
import { type AdmittedRequest, type Handler, openEventStream } from '../http/mock-exchange.ts';
import type { TokenSink } from '../serving/token-schedule.ts';
import { type ContentPart, mediaTokens } from '../../contract/content-parts.ts';
import type { ChargedChat } from '../limits/token-rules.ts';
import { RequestRefusal } from '../errors/mock-errors.ts';
import type { Settings } from '../settings/settings.ts';
import { readStructuredFormat } from './json-value.ts';

type Message = ChatRequest['messages'][number];

/** Returns a short text in place of a picture or recording. The prefix cache compares prompts with these texts. */
const mediaMarker = (part: ContentPart): string => hash('sha256', JSON.stringify(part)).slice(0, 8);

const textOfPart = (part: ContentPart): string =>
  part.type === 'text' ? part.text : mediaMarker(part);

/** Returns the text of a message. The tool calls of the message are added as JSON. */
const textOf = ({ content, tool_calls: calls }: Message, textOfEach = textOfPart): string =>
  (typeof content === 'string' ? content : (content ?? []).map(textOfEach).join('')) +
  (calls?.length ? JSON.stringify(calls) : '');

const countMessageTokens = (message: Message): number => {
  const { content } = message;
  const texts = textOf(message, (part) => (part.type === 'text' ? part.text : ' '));
  const parts = typeof content === 'string' ? [] : (content ?? []);
  return countTokens(texts) + parts.reduce((sum, part) => sum + mediaTokens(part), 0);
};

/**
 * Returns the functions that the answer may call: none if the request forbids calls or ends with the result of a call.
 */
const toolsOf = ({ tools, tool_choice: choice, messages }: ChatRequest): readonly Tool[] => {
  const all = (tools ?? []).map(({ function: { name, parameters, strict } }, index) => ({
    name,
    parameters,
    strict:
      strict === true && parameters !== undefined
        ? readStructuredFormat(`tools.${index}.function.parameters`, parameters)
        : null,
  }));
  if (choice === 'none') return [];
  if (typeof choice === 'object' && choice !== null) {
    const chosen = all.filter(({ name }) => name === choice.function.name);
    if (chosen.length > 0) return chosen;
    const message = 'Invalid tool_choice: expected the name of a function in tools.';
    throw new RequestRefusal('invalid-parameter', message);
  }
  return choice !== 'required' && messages.at(-1)?.role === 'tool' ? [] : all;
};

const formatOf = ({ response_format: format }: ChatRequest): CompletionOptions['format'] => {
  if (format?.type !== 'json_schema') return format?.type === 'json_object' ? 'json' : 'text';
  return readStructuredFormat('response_format.json_schema.schema', format.json_schema.schema);
};

/**
 * Returns how many likely alternatives the answer lists for each token; `null` if the request asks for no
 * probabilities.
 */
const topLogprobsOf = ({ logprobs, top_logprobs: top }: ChatRequest): number | null => {
  if (logprobs === true) return top ?? 0;
  if (top === null || top === undefined) return null;
  const message = 'Invalid top_logprobs: it needs logprobs: true.';
  throw new RequestRefusal('invalid-parameter', message);
};

/** These fields of the OpenAI API are refused: they would change an answer, and this gateway does not serve them. */
const unservedFields = [
  'audio',
  'function_call',
  'functions',
  'logit_bias',
  'modalities',
  'web_search_options',
];

const isTextOnly = (value: unknown): boolean =>
  Array.isArray(value) && value.every((modality) => modality === 'text');

/** Decides whether the value of a field requests nothing. Some clients send every field with such an empty value. */
const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  (typeof value === 'object' && Object.keys(value).length === 0);

const refuseUnservedFields = (request: ChatRequest): void => {
  for (const field of unservedFields)
    if (!isEmpty(request[field]) && !isTextOnly(request[field])) throw unservedField(field);
};

/** Reads a chat request: counts the tokens of the prompt and fills in defaults, or refuses the request. */
const parseChat = (body: Uint8Array, settings: Settings) => {
  const request = readJsonBody(body, chatRequestSchema);
  checkModel(request.model, settings.models, settings);
  refuseUnservedFields(request);
  const tools = toolsOf(request);
  const format = formatOf(request);
  const prompt = request.messages.map((message) => textOf(message));
  // Tokens of roles and chat templates are not counted.
  const promptTokens = request.messages.reduce(
    (sum, message) => sum + countMessageTokens(message),
    0,
  );
  const maxTokens = request.max_tokens ?? request.max_completion_tokens ?? null;
  if (promptTokens + (maxTokens ?? 1) > settings.contextTokens) {
    const answer = maxTokens === null ? '' : ` and max_tokens is ${maxTokens}`;
    const message = `The context window has ${settings.contextTokens} tokens; the messages have ${promptTokens}${answer}.`;
    throw new RequestRefusal('context-exceeded', message);
  }
  return {
    model: request.model,
    promptTokens,
    prompt,
    maxTokens,
    stopSequences: [request.stop ?? []].flat().filter((text) => text !== ''),
    format,
    tools,
    choices: request.n ?? 1,
    topLogprobs: topLogprobsOf(request),
    stream: request.stream ?? false,
    streamUsage: request.stream_options?.include_usage ?? false,
  };
};
type ParsedChat = ReturnType<typeof parseChat>;

/** After a chat has ended, charges its tokens to the limits of the key. `isCut` says whether the client hung up. */
const chargeTokens = (
  { admitted, cachedTokens, usage }: ChatExchange,
  written: number,
  isCut: boolean,
): void => {
  const use = { cachedTokens, written, whole: usage.completion_tokens, isCut };
  admitted.permit.charge(admitted.clock.now(), use);
};

const freePrices = { input: 0, output: 0 };

const chargeAndBill = (chatExchange: ChatExchange, output: number, isCut: boolean): void => {
  chargeTokens(chatExchange, output, isCut);
  const { admitted, chat } = chatExchange;
  const { model, promptTokens: input, stream } = chat;
  admitted.bill({
    kind: stream ? 'chat-stream' : 'chat',
    quantities: { inputTokens: input, outputTokens: output },
    micros: chatCost({ input, output }, admitted.settings.prices[model] ?? freePrices),
  });
};

/**
 * Returns the number of steps of an answer. Every choice gets one token in each step. An answer without tokens also
 * takes one step.
 */
const stepsOf = ({ completions }: ChatExchange): number =>
  Math.max(1, ...completions.map(({ tokens }) => tokens.length));

/** Passes due tokens to `sink`. If the request ends early, cancels the remaining tokens and calls `onCancelled`. */
const serveChat = (chatExchange: ChatExchange, sink: TokenSink, onCancelled: () => void): void => {
  const { chat, admitted, cachedTokens } = chatExchange;
  const { model, promptTokens, prompt } = chat;
  const { exchange, clock, serving, permit } = admitted;
  exchange.trace?.setFields({ queued: clock.now() });
  const steps = stepsOf(chatExchange);
  const { hangUps } = admitted.settings;
  const emit: TokenSink['emit'] = (from, to, at) => {
    if (from === 0) permit.firstToken(clock.now(), cachedTokens);
    if (exchange.isOpen) sink.emit(from, to, at);
    else if (to >= steps && hangUps === 'hold') permit.end();
  };
  const uncached = promptTokens - cachedTokens;
  const cancel = serving.serve({ model, promptTokens, prompt, uncached, steps }, { emit });
  const { onEnd } = exchange;
  const keepSlot = (): void => {
    if (exchange.end !== 'aborted') onEnd();
  };
  if (hangUps === 'hold') exchange.onEnd = keepSlot;
  const interrupt = (): void => {
    if (hangUps === 'stop') cancel();
    onCancelled();
  };
  exchange.onInterruption = interrupt;
};

/**
 * Returns the message of an answer that is not streamed. A tool call has the form of the OpenAI API, since the
 * interface does not define tool calls (section 4.1).
 */
const messageOf = ({ toolCall, tokens }: Completion) => {
  const text = tokens.join('');
  if (toolCall === null) return { role: 'assistant', content: text };
  const { id, name } = toolCall;
  const call = { id, type: 'function', function: { name, arguments: text } };
  return { role: 'assistant', content: null, tool_calls: [call] };
};

const choiceOf = (completion: Completion, index: number, topLogprobs: number | null) => {
  const { finish, toolCall, tokens } = completion;
  const choice = { index, message: messageOf(completion), finish_reason: finish };
  if (topLogprobs === null) return choice;
  const content =
    toolCall === null ? tokens.map((token) => tokenLogprob(token, topLogprobs)) : null;
  return { ...choice, logprobs: { content, refusal: null } };
};

/** Sends an answer that is not streamed. The answer is sent when the last token of a streamed answer would be due. */
const answerWhole = (chatExchange: ChatExchange): void => {
  const { id, chat, completions, usage, admitted } = chatExchange;
  const { exchange } = admitted;
  const { completion_tokens: written } = usage;
  const emit: TokenSink['emit'] = (from, to, at) => {
    if (from === 0) exchange.trace?.setFields({ prefillEnd: at.dueOf(0) });
    if (to < stepsOf(chatExchange)) return;
    chargeAndBill(chatExchange, written, false);
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
  serveChat(chatExchange, { emit }, () => chargeTokens(chatExchange, 0, true));
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
    chargeAndBill(chatExchange, answer.sent, false);
    exchange.recordEnd('completed.chat-stream');
    return choices[0]!.frames.end(usage);
  });
  serveChat(chatExchange, answer, () => chargeAndBill(chatExchange, answer.sent, true));
};

/** Returns the facts about a chat that the limits need in order to admit and charge the chat. */
const sizeOf = ({
  prompt,
  promptTokens,
  maxTokens,
  choices,
  stream,
  streamUsage,
}: ParsedChat): ChargedChat => ({
  promptTokens,
  promptBytes: prompt.reduce((sum, text) => sum + Buffer.byteLength(text), 0),
  maxTokens,
  choices,
  isStream: stream,
  asksForUsage: streamUsage,
});

/**
 * Returns the number of cached tokens of a prompt. Counting takes time for a long prompt, so this function returns 0
 * without counting if no setting needs the number.
 */
const cachedTokensOf = (
  { serving, settings: { latency, limits } }: AdmittedRequest,
  chat: ParsedChat,
): number => {
  const { cachedShare = 1, reportsCached = false } = limits.charging ?? {};
  const isAsked = latency !== 'fixed' || reportsCached || cachedShare < 1;
  return isAsked ? chat.promptTokens - serving.uncachedOf(chat) : 0;
};

const openChatExchange = (admitted: AdmittedRequest, chat: ParsedChat, body: Uint8Array) => {
  const { exchange, key, settings } = admitted;
  const { promptTokens } = chat;
  exchange.counters.tokens.input += promptTokens;
  // The client's request id seeds the request's random content. Without it, the key and the body are the seed.
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
  const cachedTokens = cachedTokensOf(admitted, chat);
  const usage: Usage = {
    prompt_tokens: promptTokens,
    completion_tokens: written,
    total_tokens: promptTokens + written,
    ...(settings.limits.charging?.reportsCached === true
      ? { prompt_tokens_details: { cached_tokens: cachedTokens } }
      : {}),
  };
  const id = `chatcmpl-${digest.toString('hex', 0, 12)}`;
  return { admitted, id, chat, cachedTokens, completions, usage };
};

type ChatExchange = ReturnType<typeof openChatExchange>;

/** Answers POST /chat/completions (interface 4.1). */
export const answerChat: Handler = (admitted) => {
  const { exchange, settings, permit, clock } = admitted;
  readRequestBody(exchange, (body) => {
    const chat = parseChat(body, settings);
    const limitExceeded = permit.reserve(clock.now(), sizeOf(chat));
    if (limitExceeded !== null) return admitted.refuseByLimit(limitExceeded);
    const chatExchange = openChatExchange(admitted, chat, body);
    if (chat.stream) answerStream(chatExchange);
    else answerWhole(chatExchange);
  });
};
