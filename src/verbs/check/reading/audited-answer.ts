import { laterUsage, readUsage, type UsageReading } from '../../../traffic/answer/read-usage.ts';
import { serverToolIn, serverToolInUsage } from '../../../traffic/answer/server-tools.ts';
import { objectOf } from '../../../traffic/answer/json-text.ts';
import { reasoningNames } from '../../../traffic/stream/chat-chunk.ts';
import { failureInStream, eventsOf } from './judge-stream.ts';
import { judgeAccepted, placesAt, valueAt } from './judge-answer.ts';
import type { CheckAnswer } from './check-answer.ts';

/** An answer for the audit: the reported tokens, and other facts that show how many tokens are possible. */
export interface AuditedAnswer {
  readonly id: string;
  readonly input: number;
  /**
   * The prompt tokens that the answer itself states: `prompt_tokens` if these and the output tokens add up to the
   * reported total, otherwise `input`. Unlike `input`, `prompt_tokens` is without cached tokens that are counted
   * separately.
   */
  readonly written: number;
  readonly output: number;
  readonly usage: UsageReading;
  /** The names of the model and of the deployment that answered. */
  readonly origin: string;
  readonly finish: unknown;
  /** All texts that were received: content, reasoning and the arguments of calls. */
  readonly text: string;
  /** The part of `text` that is reasoning. */
  readonly reasoningText: string;
  readonly hasCalls: boolean;
  /** The number of tokens that the answer lists with their probabilities; `null` without such a list. */
  readonly listed: number | null;
  /** The field which shows that the server itself ran a tool, such as a web search; `null` without such a field. */
  readonly serverTool: string | null;
  /** The cost that the answer names, in units of the currency; `null` if the answer names no cost. */
  readonly cost: number | null;
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** The fields of messages and deltas that hold no text of the model. */
const labels = new Set(['role', 'id', 'type', 'index']);

/** The greatest depth of parts in a message. Hostile answers nest parts without end. */
const maxDepth = 8;

const textsIn = (value: unknown, depth = 0): readonly string[] => {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth > maxDepth) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    labels.has(name) ? [] : textsIn(each, depth + 1),
  );
};

/** Reads the cost that LiteLLM (header), OpenRouter (`usage.cost`) or Perplexity (`usage.cost.total_cost`) names. */
const costIn = ({ received }: CheckAnswer, documents: readonly unknown[]): number | null => {
  const named = documents.flatMap((document) => [
    valueAt(document, 'usage.cost.total_cost'),
    valueAt(document, 'usage.cost'),
  ]);
  const header = received.headers['x-litellm-response-cost'];
  const costs = [...named, header === undefined ? null : Number(header)];
  const cost = costs.findLast((each) => typeof each === 'number' && Number.isFinite(each));
  return typeof cost === 'number' ? cost : null;
};

const usageIn = (documents: readonly unknown[]): UsageReading | null => {
  let usage: UsageReading | null = null;
  for (const document of documents) {
    const fields = objectOf(document);
    const reading = fields === null ? null : readUsage(fields);
    if (reading !== null) usage = laterUsage(usage, reading);
  }
  return usage;
};

/**
 * Returns the prompt tokens that add up, together with the output tokens, to the reported total; `null` if the answer
 * states no such number.
 */
const writtenIn = (documents: readonly unknown[], output: number): number | null => {
  const counts = documents.map((document) => ({
    prompt: valueAt(document, 'usage.prompt_tokens'),
    total: valueAt(document, 'usage.total_tokens'),
  }));
  const fitting = counts.findLast(
    ({ prompt, total }) => Number.isSafeInteger(prompt) && Number(prompt) + output === total,
  );
  return fitting === undefined ? null : Number(fitting.prompt);
};

const listedIn = (documents: readonly unknown[]): number | null => {
  const lists = documents
    .flatMap((document) => placesAt(document, 'choices.*.logprobs.content'))
    .map(({ value }) => value)
    .filter((value) => Array.isArray(value));
  return lists.length === 0 ? null : lists.reduce((sum, { length }) => sum + length, 0);
};

const shownServerTool = (
  documents: readonly unknown[],
  messages: readonly unknown[],
): string | null => {
  const shown = [...documents, ...messages].map(objectOf).filter((fields) => fields !== null);
  const usages = documents.map((document) => objectOf(valueAt(document, 'usage')));
  const names = [
    ...usages.map((usage) => (usage === null ? null : serverToolInUsage(usage))),
    ...shown.map(serverToolIn),
  ];
  return names.find((name) => name !== null) ?? null;
};

/** Reads an answer for the audit. Without usable usage, returns a text that says why. */
export const auditedAnswer = (id: string, answer: CheckAnswer | null): AuditedAnswer | string => {
  if (answer === null) return `${id} was not sent`;
  const { outcome, observed } = judgeAccepted(answer);
  if (outcome !== 'pass') return `${id}: ${observed}`;
  const isStream = answer.contentType === 'text/event-stream';
  const failure = isStream ? failureInStream(answer) : null;
  if (failure !== null) return `${id}: ${failure}`;
  const documents = isStream ? eventsOf(answer).map(({ json }) => json) : [answer.json];
  const usage = usageIn(documents);
  const { input = null, output = null } = usage ?? {};
  if (usage === null || input === null || output === null) return `${id}: no usage is reported`;
  const parts = documents.flatMap((document) =>
    ['message', 'delta'].flatMap((name) => placesAt(document, `choices.*.${name}`)),
  );
  const objects = parts.map(({ value }) => value).filter((value) => objectOf(value) !== null);
  const [model] = documents.map((document) => valueAt(document, 'model')).filter(isText);
  const finishes = documents.flatMap((document) => placesAt(document, 'choices.*.finish_reason'));
  return {
    id,
    input,
    written: writtenIn(documents, output) ?? input,
    output,
    usage,
    origin: answer.quote(
      [model, answer.received.headers['x-litellm-model-id']].filter(isText).join(' '),
    ),
    finish: finishes.map(({ value }) => value).findLast(Boolean),
    text: objects.flatMap((part) => textsIn(part)).join(''),
    reasoningText: objects
      .flatMap((part) => reasoningNames.flatMap((name) => textsIn(objectOf(part)?.[name])))
      .join(''),
    hasCalls: objects.some((value) => valueAt(value, 'tool_calls') !== undefined),
    listed: listedIn(documents),
    serverTool: shownServerTool(documents, objects),
    cost: costIn(answer, documents),
  };
};
