import type { TokenCounts } from '../../model/observation/outcome.ts';
import { serverToolTraces } from './server-tools.ts';
import { mostTokensOf } from '../../model/measures/usage-audit.ts';

/** This file measures what a model wrote, which bounds the tokens that a server can have counted. */

type Fields = Readonly<Record<string, unknown>>;

/** The fields of a message that are not text of the model. */
const labels: ReadonlySet<string> = new Set(['role', 'type', 'signature', 'id', 'index']);
/**
 * The fields whose tokens are not those of their texts. An image may be an address, and has a thousand tokens; a tool
 * that the server ran has tokens that nobody receives.
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
  // This runs for each event that is parsed, so it makes no lists. The recursion is as deep as the document, which
  // `jsonIn` limits.
  for (const name in value) {
    if (labels.has(name)) continue;
    const inner = (value as Fields)[name];
    sum += unbounded.has(name) && !isEmpty(inner) ? Number.NaN : bytesIn(inner);
  }
  return sum;
};

/**
 * Returns how many bytes a model wrote in a message or delta, or in a text in its place, at most: texts that stand there
 * twice count twice. Returns not a number if the message contains a call, sound or an image.
 */
export const writtenBytes = (message: unknown): number => bytesIn(message);

/** Adds to the tokens of a new answer how many its text can have at most; unchanged if what it wrote is unknown. */
export const withMost = (tokens: TokenCounts, written: number, choices: number): TokenCounts => {
  // A copy would cost as much as all else that is done with the counts.
  if (!Number.isNaN(written)) tokens.most = mostTokensOf(written, choices);
  return tokens;
};
