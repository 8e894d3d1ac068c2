import type { TokenCounts } from '../../model/observation/outcome.ts';
import { serverToolTraces } from './server-tools.ts';
import { mostTokensOf } from '../../model/measures/usage-audit.ts';

/** This file measures what a model wrote. The number of bytes limits how many tokens a server can have counted. */

type Fields = Readonly<Record<string, unknown>>;

/** The fields of a message that hold no text of the model. */
const labels: ReadonlySet<string> = new Set(['role', 'type', 'signature', 'id', 'index']);
/**
 * The fields whose number of tokens does not follow from their texts. For example, an image that is given as an address
 * has a thousand tokens. A tool that the server ran has tokens that the client never receives.
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
  // This runs for each parsed event, so it creates no lists. The recursion is as deep as the document, which `jsonIn`
  // limits.
  for (const name in value) {
    if (labels.has(name)) continue;
    const inner = (value as Fields)[name];
    sum += unbounded.has(name) && !isEmpty(inner) ? Number.NaN : bytesIn(inner);
  }
  return sum;
};

/**
 * Returns the maximum number of bytes that a model wrote in a message or delta, or in a text in its place. A text that
 * appears twice counts twice. Returns NaN if the message contains a call, sound or an image.
 */
export const writtenBytes = (message: unknown): number => bytesIn(message);

/**
 * Sets the maximum number of tokens that the text of a new answer can have. `tokens` stay unchanged if the text is
 * unknown.
 */
export const withMost = (tokens: TokenCounts, written: number, choices: number): TokenCounts => {
  // The object is changed, since copying it would take as long as everything else that is done with the counts.
  if (!Number.isNaN(written)) tokens.most = mostTokensOf(written, choices);
  return tokens;
};
