import { hash } from 'node:crypto';
import { type ContentPart, mediaTokens } from '../../contract/content-parts.ts';
import { type ChatRequest, chatRequestSchema } from '../../contract/chat.ts';
import { checkModel } from '../http/model-list.ts';
import { readJsonBody, unservedField } from '../http/request-body.ts';
import type { CompletionOptions, Tool } from './completion.ts';
import { RequestRefusal } from '../errors/request-refusal.ts';
import type { Settings } from '../settings/settings.ts';
import { readStructuredFormat } from './structured-value.ts';
import { countTokens } from './token-count.ts';

type Message = ChatRequest['messages'][number];

/** A picture or recording in the text that the prefix cache compares. */
const mediaMarker = (part: ContentPart): string => hash('sha256', JSON.stringify(part)).slice(0, 8);

const textOfPart = (part: ContentPart): string =>
  part.type === 'text' ? part.text : mediaMarker(part);

/** The text of a message; an earlier tool call counts as its JSON. */
const textOf = ({ content, tool_calls: calls }: Message, textOfEach = textOfPart): string =>
  (typeof content === 'string' ? content : (content ?? []).map(textOfEach).join('')) +
  (calls?.length ? JSON.stringify(calls) : '');

const countMessageTokens = (message: Message): number => {
  const { content } = message;
  const texts = textOf(message, (part) => (part.type === 'text' ? part.text : ' '));
  const parts = typeof content === 'string' ? [] : (content ?? []);
  return countTokens(texts) + parts.reduce((sum, part) => sum + mediaTokens(part), 0);
};

/** The functions of which the answer calls one: none if the request forbids it or ends with the result of a call. */
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

/** How many likely tokens are listed with each token; `null` if no probabilities are asked for. */
const topLogprobsOf = ({ logprobs, top_logprobs: top }: ChatRequest): number | null => {
  if (logprobs === true) return top ?? 0;
  if (top === null || top === undefined) return null;
  const message = 'Invalid top_logprobs: it needs logprobs: true.';
  throw new RequestRefusal('invalid-parameter', message);
};

/** Fields of the OpenAI API that would change an answer, which the interface does not have and the gateway does not serve. */
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

/** Whether a field asks for nothing: some clients send every field. */
const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  (typeof value === 'object' && Object.keys(value).length === 0);

const refuseUnservedFields = (request: ChatRequest): void => {
  for (const field of unservedFields)
    if (!isEmpty(request[field]) && !isTextOnly(request[field])) throw unservedField(field);
};

const stopsOf = ({ stop }: ChatRequest): readonly string[] =>
  (typeof stop === 'string' ? [stop] : (stop ?? [])).filter((text) => text !== '');

/** A valid chat request, with its prompt counted and its defaults filled in. */
export const parseChat = (body: Uint8Array, settings: Settings) => {
  const request = readJsonBody(body, chatRequestSchema);
  checkModel(request.model, settings.models, settings);
  refuseUnservedFields(request);
  const tools = toolsOf(request);
  const format = formatOf(request);
  const prompt = request.messages.map((message) => textOf(message));
  // Roles and templates do not count.
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
    /** The texts of the messages, in order. */
    prompt,
    maxTokens,
    stopSequences: stopsOf(request),
    format,
    tools,
    choices: request.n ?? 1,
    topLogprobs: topLogprobsOf(request),
    stream: request.stream ?? false,
    streamUsage: request.stream_options?.include_usage ?? false,
  };
};
export type ParsedChat = ReturnType<typeof parseChat>;
