import type { TokenCounts } from '../../model/observation/outcome.ts';
import { serverToolTraces } from './server-tools.ts';
import { mostTokensOf } from '../../model/measures/usage-audit.ts';

/**
 * This file measures how many bytes a model wrote. The number of bytes limits how many tokens a server can have
 * counted.
 */

type Fields = Readonly<Record<string, unknown>>;

/** The fields of a message that contain no text of the model. */
const labels: ReadonlySet<string> = new Set(['role', 'type', 'signature', 'id', 'index']);
/**
 * The tokens of these fields cannot be derived from their texts. For example, a short address may stand for an image of
 * a thousand tokens. The client never receives the tokens of a tool that ran on the server.
 */
const unbounded: ReadonlySet<string> = new Set([
  ...'tool_calls function_call audio images image image_url video video_url'.split(' '),
  ...serverToolTraces,
]);

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

const bytesIn = (value: unknown): number => {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return 0;
  let sum = 0;
  // This loop runs for each parsed event, so it creates no lists. The recursion is as deep as the document, and
  // `jsonIn` limits the depth of documents.
  for (const name in value) {
    if (labels.has(name)) continue;
    const inner = (value as Fields)[name];
    sum += unbounded.has(name) && !isEmpty(inner) ? Number.NaN : bytesIn(inner);
  }
  return sum;
};

/**
 * Returns the maximum number of bytes that a model wrote in a message or delta, or in a text in place of a message. A
 * text that appears twice counts twice. Returns NaN if the message contains a tool call, audio or an image.
 */
export const writtenBytes = (message: unknown): number => bytesIn(message);

/**
 * Sets the maximum number of tokens that the text of a new answer can have. If `written` is NaN, `tokens` stays
 * unchanged.
 */
export const withMost = (tokens: TokenCounts, written: number, choices: number): TokenCounts => {
  // The object is changed in place, because a copy would take as long as all other work on the counts.
  if (!Number.isNaN(written)) tokens.most = mostTokensOf(written, choices);
  return tokens;
};
