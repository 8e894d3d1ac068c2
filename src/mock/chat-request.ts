import { z } from 'zod';
import { type ChatRequest, chatRequestSchema } from '../contract/chat.ts';
import type { Refusal } from './refusal.ts';
import type { Settings } from './settings.ts';
import { countTokens } from './token-count.ts';

/** A chat request that can be answered, with its prompt counted and its defaults filled in. */
export interface Chat {
  readonly model: string;
  readonly promptTokens: number;
  readonly maxTokens: number | null;
  readonly stops: readonly string[];
  readonly stream: boolean;
  readonly streamUsage: boolean;
}

const expectation = (issue: z.core.$ZodIssue): string =>
  issue.code === 'invalid_union'
    ? issue.errors
        .flatMap(([first]) => (first === undefined ? [] : expectation(first)))
        .join('; or ')
    : issue.message.replace(/^Invalid input: /, '');

const sentence = (issue: z.core.$ZodIssue): string =>
  `Invalid ${z.core.toDotPath(issue.path) || 'request body'}: ${expectation(issue)}.`;

const utf8 = new TextDecoder('utf-8', { fatal: true });

const parseJson = (body: Uint8Array): { readonly value: unknown } | null => {
  try {
    return { value: JSON.parse(utf8.decode(body)) };
  } catch {
    return null;
  }
};

/** The prompt's tokens are those of the message contents; roles and templates count nothing. */
const promptTokensOf = ({ messages }: ChatRequest): number =>
  messages.reduce((sum, { content }) => sum + countTokens(content), 0);

const stopsOf = ({ stop }: ChatRequest): readonly string[] =>
  (typeof stop === 'string' ? [stop] : (stop ?? [])).filter((text) => text !== '');

/** Reads the body of a chat request: what it asks, or why it is refused, the parameter named. */
export const readChat = (body: Uint8Array, settings: Settings): Chat | Refusal => {
  const json = parseJson(body);
  if (json === null) {
    return { cause: 'not-json', message: 'The request body is not JSON in UTF-8.' };
  }
  const parsed = chatRequestSchema.safeParse(json.value);
  if (!parsed.success) {
    return {
      cause: 'invalid-parameter',
      message: parsed.error.issues.map(sentence).join(' '),
    };
  }
  const request = parsed.data;
  if (!settings.models.includes(request.model)) {
    return {
      cause: 'unknown-model',
      message: `The model ${JSON.stringify(request.model)} does not exist; GET /models lists those that do.`,
    };
  }
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
    maxTokens,
    stops: stopsOf(request),
    stream: request.stream ?? false,
    streamUsage: request.stream_options?.include_usage ?? false,
  };
};
