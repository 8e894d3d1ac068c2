import { type Milliseconds, milliseconds } from '../../model/quantity.ts';
import type { NamedLimit } from '../../model/observation/outcome.ts';

const limitWords = [
  ['in-flight', /max_parallel_requests|in flight|concurren|parallel/i],
  ['tokens', /\btokens?\b/i],
  ['requests', /\brequests?\b/i],
] as const;

/** Where a text names its limit: LiteLLM’s, and OpenAI’s `on tokens per min (TPM)`. */
const limitNamePattern = /Limit type:\s*([a-z_]+)|\bon (tokens|requests) per\b/i;

/** A text that lists all limits names none of them; one about too many requests in flight mentions requests too. */
const unitIn = (text: string): NamedLimit | null => {
  const found = limitWords.filter(([, words]) => words.test(text)).map(([unit]) => unit);
  return found.length > 1 && found.includes('tokens') ? null : (found[0] ?? null);
};

const resetPattern = /resets? at:?\s*(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)\s*(?:UTC|Z)/i;

/** The name of the status, which the pages of proxies have as their title: it is the same for every limit. */
const statusPhrase = /\b(?:429\W*)?too many requests\b/gi;

/**
 * Reads the limit from the text of a 429: the second documented form (interface section 7) is
 * `Rate limit exceeded for {whom}: {hash}. Limit type: {unit}. Current limit: {n}, Remaining: {r}.
 * Limit resets at: {YYYY-MM-DD HH:MM:SS UTC}`; other texts are searched for units, HTML pages without the name of their status.
 */
export const readRefusedLimit = (text: string, form: 'page' | 'message' = 'message') => {
  const message = form === 'page' ? text.replaceAll(statusPhrase, '') : text;
  const [, type, measure] = limitNamePattern.exec(message) ?? [];
  const [, day, time] = resetPattern.exec(message) ?? [];
  const moment = day === undefined ? Number.NaN : Date.parse(`${day}T${time}Z`);
  return {
    /** `null` when it names none. */
    unit: unitIn(type ?? measure ?? message),
    /** In ms since 1970. */
    resetAt: Number.isNaN(moment) ? null : moment,
  };
};
export type RefusedLimit = ReturnType<typeof readRefusedLimit>;

/**
 * When a limit resets, in the notations of gateways: a Go duration (`1m26.4s`, `6ms`), seconds
 * (whole or not), a Unix time in seconds or milliseconds, an ISO 8601 or an HTTP date.
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

/** Thirty years in seconds: a larger number is a time, not a duration. */
const firstEpochSecond = 1e9;
const firstEpochMillisecond = 1e12;

/**
 * Milliseconds from `now` (since 1970, by the clock of the server that wrote the text) until the reset;
 * negative for one in the past, `null` for a text in no known notation.
 */
export const millisecondsUntilReset = (text: string, now: number): number | null => {
  const reset = readReset(text.trim(), now);
  // A text of hundreds of digits is in a known notation and still no number.
  return Number.isFinite(reset) ? reset : null;
};

/** As `millisecondsUntilReset`, with NaN for no known notation. */
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
  // Date.parse accepts many texts; these two notations start with a year or a weekday.
  const isDate = /^(\d{4}-\d\d-\d\d|[A-Z][a-z]{2},? )/.test(text);
  return isDate ? Date.parse(text) - now : Number.NaN;
};

/** The time of a response's `Date` header in ms since 1970 (whole seconds); `null` without a readable one. */
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
 * How long a response asks to wait: `retry-after-ms`, else `Retry-After` in seconds or as an HTTP
 * date against the response's own `Date` (RFC 9110 §10.2.3), or against `now` (ms since 1970; NaN for
 * unknown) if it has none. `null` if absent or unreadable; a time in the past is 0.
 */
export const readRetryAfter = (
  headers: Readonly<Record<string, string>>,
  now: number,
): RequestedWait | null => {
  const fineHeader = headers['retry-after-ms']?.trim();
  if (fineHeader !== undefined && /^\d+(\.\d+)?$/.test(fineHeader)) {
    const wait = Number(fineHeader);
    // Hundreds of digits are no number.
    return Number.isFinite(wait) ? { wait: milliseconds(wait), by: 'retry-after-ms' } : null;
  }
  const header = headers['retry-after'];
  if (header === undefined) return null;
  const wait = millisecondsUntilReset(header, dateOf(headers) ?? now);
  if (wait === null || Number.isNaN(wait)) return null;
  return { wait: milliseconds(Math.max(0, wait)), by: 'retry-after' };
};
