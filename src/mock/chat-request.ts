import { type ChatRequest, chatRequestSchema } from '../contract/chat.ts';
import { refuseModel } from './catalogue.ts';
import { readJson } from './json-body.ts';
import type { Refusal } from './refusal.ts';
import type { Settings } from './settings.ts';
import { countTokens } from './token-count.ts';

/** A chat request that can be answered, with its prompt counted and its defaults filled in. */
export interface Chat {
  readonly model: string;
  readonly promptTokens: number;
  /** The texts of the messages, in order. */
  readonly prompt: readonly string[];
  readonly maxTokens: number | null;
  readonly stops: readonly string[];
  readonly stream: boolean;
  readonly streamUsage: boolean;
}

/** The prompt's tokens are those of the message contents; roles and templates count nothing. */
const promptTokensOf = ({ messages }: ChatRequest): number =>
  messages.reduce((sum, { content }) => sum + countTokens(content), 0);

const stopsOf = ({ stop }: ChatRequest): readonly string[] =>
  (typeof stop === 'string' ? [stop] : (stop ?? [])).filter((text) => text !== '');

/** Reads the body of a chat request: what it asks, or why it is refused, the parameter named. */
export const readChat = (body: Uint8Array, settings: Settings): Chat | Refusal => {
  const read = readJson(body, chatRequestSchema);
  if ('cause' in read) return read;
  const request = read.value;
  const refused = refuseModel(request.model, settings.models, settings);
  if (refused !== null) return refused;
  const promptTokens = promptTokensOf(request);
  const maxTokens = request.max_tokens ?? null;
  if (promptTokens + (maxTokens ?? 1) > settings.contextTokens) {
    return {
      cause: 'context-exceeded',
      message: `The context window has ${settings.contextTokens} tokens; the messages have ${promptTokens}${maxTokens === null ? '' : ` and max_tokens asks for ${maxTokens}`}.`,
    };
  }
  return {
    model: request.model,
    promptTokens,
    prompt: request.messages.map(({ content }) => content),
    maxTokens,
    stops: stopsOf(request),
    stream: request.stream ?? false,
    streamUsage: request.stream_options?.include_usage ?? false,
  };
};
