import type { NamedLimit } from '../../model/observation/outcome.ts';

/**
 * Reads the limit from the text of a 429: the second documented form (interface section 7) is
 * `Rate limit exceeded for {whom}: {hash}. Limit type: {unit}. Current limit: {n}, Remaining: {r}.
 * Limit resets at: {YYYY-MM-DD HH:MM:SS UTC}`; other texts are searched for units.
 */
export interface RefusedLimit {
  /** Which limit it names; `null` when it names none. */
  readonly unit: NamedLimit | null;
  /** The reset time in the text, in ms since 1970. */
  readonly resetAt: number | null;
}

const units = [
  ['in-flight', /max_parallel_requests|in flight|concurren|parallel/i],
  ['tokens', /\btokens?\b/i],
  ['requests', /\brequests?\b/i],
] as const;

/** Where a text names its limit: LiteLLM’s, and OpenAI’s `on tokens per min (TPM)`. */
const limitNamePattern = /Limit type:\s*([a-z_]+)|\bon (tokens|requests) per\b/i;

/** A text that lists all limits names none of them; one about too many requests in flight mentions requests too. */
const unitIn = (text: string): NamedLimit | null => {
  const found = units.filter(([, words]) => words.test(text)).map(([unit]) => unit);
  return found.length > 1 && found.includes('tokens') ? null : (found[0] ?? null);
};

const resetPattern = /resets? at:?\s*(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)\s*(?:UTC|Z)/i;

export const readRefusedLimit = (message: string): RefusedLimit => {
  const [, type, measure] = limitNamePattern.exec(message) ?? [];
  const [, day, time] = resetPattern.exec(message) ?? [];
  const moment = day === undefined ? Number.NaN : Date.parse(`${day}T${time}Z`);
  return {
    unit: unitIn(type ?? measure ?? message),
    resetAt: Number.isNaN(moment) ? null : moment,
  };
};
