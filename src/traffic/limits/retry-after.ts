import { type Milliseconds, milliseconds } from '../../model/quantity.ts';
import type { NamedLimit } from '../../model/observation/outcome.ts';

const limitWords = [
  ['in-flight', /max_parallel_requests|in flight|concurren|parallel/i],
  ['tokens', /\btokens?\b/i],
  ['requests', /\brequests?\b/i],
] as const;

/** Matches the name of a limit in a text: LiteLLM’s, and OpenAI’s `on tokens per min (TPM)`. */
const limitNamePattern = /Limit type:\s*([a-z_]+)|\bon (tokens|requests) per\b/i;

/**
 * Returns the limit that a text names. A text that lists all limits names none of them, and one about too many requests
 * in flight mentions requests, too.
 */
const unitIn = (text: string): NamedLimit | null => {
  const found = limitWords.filter(([, words]) => words.test(text)).map(([unit]) => unit);
  return found.length > 1 && found.includes('tokens') ? null : (found[0] ?? null);
};

const resetPattern = /resets? at:?\s*(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)\s*(?:UTC|Z)/i;

/** Matches the name of the status, which is the title of the pages of proxies and is the same for every limit. */
const statusPhrase = /\b(?:429\W*)?too many requests\b/gi;

/**
 * Reads the limit from the text of a 429. The second documented form (interface section 7) is `Rate limit exceeded for
 * {whom}: {hash}. Limit type: {unit}. Current limit: {n}, Remaining: {r}. Limit resets at: {YYYY-MM-DD HH:MM:SS UTC}`.
 * Other texts are searched for units, and HTML pages without the name of their status.
 */
export const readRefusedLimit = (text: string, form: 'page' | 'message' = 'message') => {
  const message = form === 'page' ? text.replaceAll(statusPhrase, '') : text;
  const [, type, measure] = limitNamePattern.exec(message) ?? [];
  const [, day, time] = resetPattern.exec(message) ?? [];
  const moment = day === undefined ? Number.NaN : Date.parse(`${day}T${time}Z`);
  return {
    /** The unit of the limit; `null` if the text names none. */
    unit: unitIn(type ?? measure ?? message),
    /** The reset time, in ms since 1970. */
    resetAt: Number.isNaN(moment) ? null : moment,
  };
};
export type RefusedLimit = ReturnType<typeof readRefusedLimit>;

/**
 * This part reads when a limit resets, in the notations of gateways: a Go duration (`1m26.4s`, `6ms`), seconds (whole
 * or not), a Unix time in seconds or milliseconds, an ISO 8601 or an HTTP date.
 */

const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

const durationPart = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h|d)/g;
const duration = new RegExp(`^(?:${durationPart.source})+$`);

/** The smallest number of seconds that counts as a time instead of a duration: about thirty years. */
const firstEpochSecond = 1e9;
/** The smallest number that counts as a time in milliseconds instead of seconds. */
const firstEpochMillisecond = 1e12;

/**
 * Returns the milliseconds from `now` (since 1970, by the clock of the server that wrote the text) until the reset.
 * They are negative for a reset in the past, `null` for a text in no known notation.
 */
export const millisecondsUntilReset = (text: string, now: number): number | null => {
  const reset = readReset(text.trim(), now);
  // A text of hundreds of digits is in a known notation and is still not a finite number.
  return Number.isFinite(reset) ? reset : null;
};

/** Computes `millisecondsUntilReset`, with NaN for no known notation. */
const readReset = (text: string, now: number): number => {
  if (/^[+-]?\d+(\.\d+)?$/.test(text)) {
    const number = Number(text);
    if (number >= firstEpochMillisecond) return number - now;
    return number >= firstEpochSecond ? number * 1000 - now : number * 1000;
  }
  if (duration.test(text)) {
    const parts = [...text.matchAll(durationPart)];
    return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * units[unit!]!, 0);
  }
  // Date.parse accepts many texts. These two notations start with a year or a weekday.
  const isDate = /^(\d{4}-\d\d-\d\d|[A-Z][a-z]{2},? )/.test(text);
  return isDate ? Date.parse(text) - now : Number.NaN;
};

/** Returns the time of a response's `Date` header in ms since 1970 (whole seconds); `null` without a readable one. */
export const dateOf = (headers: Readonly<Record<string, string>>): number | null => {
  const moment = Date.parse(headers['date'] ?? '');
  return Number.isNaN(moment) ? null : moment;
};

/** A wait that a response asks for, and the header that names it. */
export interface RequestedWait {
  readonly wait: Milliseconds;
  readonly by: 'retry-after-ms' | 'retry-after';
}

/**
 * Returns how long a response asks to wait, in ms: `retry-after-ms`, otherwise `Retry-After` in seconds or as an HTTP
 * date compared with the response's own `Date` (RFC 9110 §10.2.3), or with `now` (ms since 1970; NaN for unknown) if it
 * has none. `null` if absent or unreadable. A time in the past is 0.
 */
export const readRetryAfter = (
  headers: Readonly<Record<string, string>>,
  now: number,
): RequestedWait | null => {
  const fineHeader = headers['retry-after-ms']?.trim();
  if (fineHeader !== undefined && /^\d+(\.\d+)?$/.test(fineHeader)) {
    const wait = Number(fineHeader);
    // Hundreds of digits are not a finite number.
    return Number.isFinite(wait) ? { wait: milliseconds(wait), by: 'retry-after-ms' } : null;
  }
  const header = headers['retry-after'];
  if (header === undefined) return null;
  const wait = millisecondsUntilReset(header, dateOf(headers) ?? now);
  if (wait === null || Number.isNaN(wait)) return null;
  return { wait: milliseconds(Math.max(0, wait)), by: 'retry-after' };
};
