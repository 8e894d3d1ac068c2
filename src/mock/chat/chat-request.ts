import { type ChatRequest, chatRequestSchema } from '../../contract/chat.ts';
import { checkModel } from '../http/model-list.ts';
import { readJsonBody } from '../http/request-body.ts';
import type { CompletionOptions, Tool } from './completion.ts';
import { RequestRefusal } from '../errors/request-refusal.ts';
import type { Settings } from '../settings/settings.ts';
import { countTokens } from './token-count.ts';

type Message = ChatRequest['messages'][number];

/** An earlier tool call counts as its JSON. */
const textOf = ({ content, tool_calls: calls }: Message): string =>
  (content ?? '') + (calls?.length ? JSON.stringify(calls) : '');

/** The functions of which the answer calls one: none if the request forbids it or ends with the result of a call. */
const toolsOf = ({ tools, tool_choice: choice, messages }: ChatRequest): readonly Tool[] => {
  const all = (tools ?? []).map(({ function: { name, parameters } }) => ({ name, parameters }));
  if (choice === 'none') return [];
  if (typeof choice === 'object' && choice !== null) {
    const chosen = all.filter(({ name }) => name === choice.function.name);
    if (chosen.length > 0) return chosen;
    const message = 'Invalid tool_choice: expected the name of a function in tools.';
    throw new RequestRefusal('invalid-parameter', message);
  }
  return choice !== 'required' && messages.at(-1)?.role === 'tool' ? [] : all;
};

const stopsOf = ({ stop }: ChatRequest): readonly string[] =>
  (typeof stop === 'string' ? [stop] : (stop ?? [])).filter((text) => text !== '');

/** A valid chat request, with its prompt counted and its defaults filled in. */
export const parseChat = (body: Uint8Array, settings: Settings) => {
  const request = readJsonBody(body, chatRequestSchema);
  checkModel(request.model, settings.models, settings);
  const tools = toolsOf(request);
  const prompt = request.messages.map(textOf);
  // Roles and templates do not count.
  const promptTokens = prompt.reduce((sum, text) => sum + countTokens(text), 0);
  const maxTokens = request.max_tokens ?? request.max_completion_tokens ?? null;
  if (promptTokens + (maxTokens ?? 1) > settings.contextTokens) {
    const answer = maxTokens === null ? '' : ` and max_tokens is ${maxTokens}`;
    const message = `The context window has ${settings.contextTokens} tokens; the messages have ${promptTokens}${answer}.`;
    throw new RequestRefusal('context-exceeded', message);
  }
  const format: CompletionOptions['format'] =
    request.response_format?.type === 'json_object' ? 'json' : 'text';
  return {
    model: request.model,
    promptTokens,
    /** The texts of the messages, in order. */
    prompt,
    maxTokens,
    stopSequences: stopsOf(request),
    format,
    tools,
    stream: request.stream ?? false,
    streamUsage: request.stream_options?.include_usage ?? false,
  };
};
export type ParsedChat = ReturnType<typeof parseChat>;
