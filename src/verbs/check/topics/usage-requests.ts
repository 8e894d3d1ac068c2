import type { WireRequest } from '../../../model/observation/exchange.ts';
import { type CheckRequest, type CheckTarget, free } from '../reading/check-case.ts';
import { chatTokens, chatWith } from './check-requests.ts';

/**
 * This file has the requests of the audit of usage. The prompts repeat a word, so the difference between two prompts is
 * known.
 */

/**
 * The repeated words. With a space in front, each word is one token in 11 vocabularies: OpenAI's four, Llama 2 and 3,
 * Mistral, Gemma 3, Qwen 3, DeepSeek V3 and Claude. In a vocabulary of single letters, the three words have different
 * numbers of tokens.
 */
export const auditWords = ['time', 'in', 'government'] as const;
export type AuditWord = (typeof auditWords)[number];

/**
 * The prompts: for each request, the word and the number of repetitions. The differences between the numbers are
 * primes, so rounded counts cannot fit the prompts. The prompts are not in the order of their lengths, so a server that
 * reports the count of the previous request is found, too.
 */
export const wordPrompts: Readonly<Record<string, readonly [AuditWord, number]>> = {
  'usage-long': ['time', 1292],
  'usage-again': ['time', 1292],
  'usage-government-more': ['government', 126],
  'usage-short': ['time', 40],
  'usage-in-more': ['in', 154],
  'usage-more': ['time', 141],
  'usage-in-short': ['in', 57],
  'usage-government-short': ['government', 23],
};

/**
 * The text before the words. It differs in each audit, so a cache with the prompts of an earlier audit holds none of
 * this audit.
 */
export const openingOf = ({ now }: Pick<CheckTarget, 'now'>): string => `Note ${now}. Say yes.`;

export const repeated = (word: string, count: number): string => ` ${word}`.repeat(count);

const maxPromptAnswer = 16;
const maxCounted = 64;
const maxShortAnswer = 256;

const streamed = { stream: true, stream_options: { include_usage: true } };

/** The description of a tool repeats the word `time` this many times. */
export const toolWords = { 'usage-tools-short': 20, 'usage-tools-more': 127 } as const;

const toolOf = (words: number) => ({
  type: 'function',
  function: {
    name: 'tell',
    description: `Tells the${repeated('time', words)}`,
    parameters: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
  },
});

interface AuditRequest {
  readonly id: string;
  /** How many tokens the prompt has in a common vocabulary, and how many the answer may have. */
  readonly tokens: readonly [input: number, output: number];
  readonly fields: (target: CheckTarget) => Readonly<Record<string, unknown>>;
  readonly isSerial?: boolean;
}

const promptFields = (word: string, count: number, more: object = {}) => ({
  fields: (target: CheckTarget) => ({
    messages: [{ role: 'user', content: openingOf(target) + repeated(word, count) }],
    max_tokens: maxPromptAnswer,
    ...more,
  }),
  tokens: [count + 40, maxPromptAnswer] as const,
});

/**
 * Returns the fields of a chat in which the model counts. The token limit cuts off the count to two hundred; the count
 * to twenty ends by itself.
 */
const counting = (end: 'two hundred' | 'twenty', more: object = {}) => {
  const most = end === 'twenty' ? maxShortAnswer : maxCounted;
  return {
    fields: () => ({
      messages: [{ role: 'user', content: `Count from one to ${end} in words.` }],
      max_tokens: most,
      ...more,
    }),
    tokens: [40, most] as const,
  };
};

const withTool = (words: number, more: object = {}): Omit<AuditRequest, 'id'> => {
  const { fields, tokens } = promptFields('time', 40, { tools: [toolOf(words)], ...more });
  return { fields, tokens: [tokens[0] + words + 400, tokens[1]] };
};

const audits: readonly AuditRequest[] = [
  ...Object.entries(wordPrompts).map(([id, [word, count]]) => ({
    id,
    ...promptFields(word, count),
    isSerial: count > 1000,
  })),
  { id: 'usage-stream-more', ...promptFields('time', 141, streamed) },
  { id: 'usage-stream-short', ...promptFields('time', 40, streamed) },
  { id: 'usage-tools-more', ...withTool(toolWords['usage-tools-more']) },
  { id: 'usage-tools-short', ...withTool(toolWords['usage-tools-short']) },
  { id: 'usage-tools-stream', ...withTool(toolWords['usage-tools-more'], streamed) },
  { id: 'usage-answer', ...counting('two hundred') },
  { id: 'usage-answer-stream', ...counting('two hundred', streamed) },
  { id: 'usage-listed', ...counting('twenty', { logprobs: true }) },
  { id: 'usage-listed-stream', ...counting('twenty', { logprobs: true, ...streamed }) },
  {
    id: 'usage-yes',
    fields: () => ({
      messages: [{ role: 'user', content: 'Say yes.' }],
      max_tokens: maxShortAnswer,
    }),
    tokens: [40, maxShortAnswer],
  },
];

/** The most output tokens that each request allows. */
export const outputLimits: Readonly<Record<string, number>> = Object.fromEntries(
  audits.map(({ id, tokens: [, most] }) => [id, most]),
);

const requestOf = ({ id, tokens, fields, isSerial = false }: AuditRequest): CheckRequest => ({
  id,
  key: 'valid',
  base: 'versioned',
  cost: { ...free, ...chatTokens(tokens[1], tokens[0]) },
  isSerial,
  onlyIfRefused: null,
  isStream: 'stream' in fields({ now: 0 } as CheckTarget),
  build: (target): WireRequest | null => chatWith(fields(target))(target),
});

export const renamedId = (id: string): string => `${id}-renamed`;

/**
 * Copies of the audit's requests that give the limit as `max_completion_tokens`. Reasoning models refuse `max_tokens`.
 * A copy is sent only if the original request was refused.
 */
const renamed = (audited: AuditRequest): CheckRequest => ({
  ...requestOf({
    ...audited,
    id: renamedId(audited.id),
    fields: (target) => {
      const { max_tokens: most, ...fields } = audited.fields(target);
      return { ...fields, max_tokens: undefined, max_completion_tokens: most };
    },
    // A copy is sent only after the original request was refused, which costs nothing. So the tokens that the budget
    // contains for the original request are enough for the copy.
    tokens: [0, 1],
    isSerial: false,
  }),
  onlyIfRefused: audited.id,
});

const throughGateway = audits.map(requestOf);
const renamedRequests = audits.map(renamed);

/** The requests that are also sent to the model without the gateway. */
export const comparedIds: readonly string[] = [
  'usage-long',
  'usage-again',
  'usage-short',
  'usage-stream-more',
  'usage-tools-more',
  'usage-yes',
];

/** The id of a request without the gateway. For the copy of such a request, `renamedId` is applied to this id. */
export const directId = (id: string): string => `direct-${id}`;

const directly = (request: CheckRequest): CheckRequest => ({
  ...request,
  id: directId(request.id),
  onlyIfRefused: request.onlyIfRefused === null ? null : directId(request.onlyIfRefused),
  base: 'direct',
  build: (target) => request.build({ ...target, chat: target.directChat ?? target.chat }),
});

export const usageRequests: readonly CheckRequest[] = [
  ...throughGateway,
  ...throughGateway.filter(({ id }) => comparedIds.includes(id)).map(directly),
  ...renamedRequests,
  ...renamedRequests
    .filter(({ onlyIfRefused }) => comparedIds.includes(onlyIfRefused ?? ''))
    .map(directly),
];
