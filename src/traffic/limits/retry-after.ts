import { type Milliseconds, milliseconds } from '../../model/quantity.ts';
import type { NamedLimit } from '../../model/observation/outcome.ts';
import { dateOf, millisecondsUntilReset } from './wait-text.ts';

const inFlightWords = /max_parallel_requests|in flight|concurren|parallel/i;

/** Words that show which limit was hit. They are searched in a field that contains only the name of a limit. */
const fieldWords = [
  ['in-flight', inFlightWords],
  ['tokens', /\btokens?\b|\btpm\b/i],
  ['requests', /\brequests?\b|\brpm\b/i],
] as const;

/**
 * Words that show which limit was hit. They are searched in the sentence of an error message. The words "request" and
 * "token" alone are not enough: "request" can mean the refused request, and "token" can mean the API key.
 */
const sentenceWords = [
  ['in-flight', inFlightWords],
  ['tokens', /\btokens\b|\btoken[- ](?:rate|limit|quota|usage|budget|count|per)|\btpm\b/i],
  ['requests', /\brequests\b|\brequest[- ](?:rate|limit|quota|count)|\brpm\b/i],
] as const;

/**
 * Matches texts that contain a word for a limit but do not name the limit that was hit. These texts are the name of the
 * status 429, which is the same for every limit; API keys that are called tokens; and advice such as "reduce the number
 * of requests".
 */
const otherWords = [
  /\b(?:429\W*)?too many requests\b(?!\/| (?:per|every|each)\b| (?:in |within )?(?:the last |\d|(?:an?|one) (?:second|minute|hour|day)\b))/gi,
  /\b(?:api|access|auth|bearer|session|personal|secret)[- ](?:access )?tokens?\b/gi,
  /\b(?:reduce|lower|decrease|limit(?= your)|fewer|retry|repeat|resend|slow down|space out)(?: or \w+)?(?: the| your| down)*(?: number| rate| frequency| volume)?(?: of)?(?: your| the)? (?:requests?(?: rate| frequency| volume)?|concurrency|parallelism|concurrent requests)\b/gi,
];

/**
 * Matches the state of one of several limits. LiteLLM's older proxies list the states of the limits on requests, tokens
 * and concurrency.
 */
const limitStatePattern = /\bcurrent (\w+): (\d+), \1(?: limit)?: (\d+)/gi;

/**
 * Matches the name of a limit in a text. LiteLLM writes `Limit type: …`, and OpenAI writes `on tokens per min (TPM)`.
 */
const limitNamePattern = /Limit type:\s*([a-z_]+)|\bon (tokens|requests) per\b/i;

/**
 * Returns the limit that a text names. Returns `null` if the text names no limit, or if it names the limit on tokens
 * together with another limit. A text about too many requests in flight also contains the word "requests", so the limit
 * on requests in flight is searched first.
 */
const unitIn = (
  text: string,
  limitWords: readonly (readonly [unit: NamedLimit, words: RegExp])[],
): NamedLimit | null => {
  const found = limitWords.filter(([, words]) => words.test(text)).map(([unit]) => unit);
  return found.length > 1 && found.includes('tokens') ? null : (found[0] ?? null);
};

/** Removes from a text all parts that `otherWords` matches, because these parts do not name the limit that was hit. */
const sentenceOf = (text: string): string =>
  otherWords.reduce((left, words) => left.replaceAll(words, ' '), text);

/**
 * Returns the name of the exhausted limit if a text lists several limits and exactly one of these limits is exhausted.
 */
const usedUpIn = (text: string): string | undefined => {
  const states = text.matchAll(limitStatePattern);
  const usedUp = [...states].filter(([, , used, limit]) => Number(used) >= Number(limit));
  return usedUp.length === 1 ? usedUp[0]![1] : undefined;
};

const resetPattern = /resets? at:?\s*(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)\s*(?:UTC|Z)/i;

/**
 * Reads the limit from the text of a 429. The second documented form (interface, section 7) is `Rate limit exceeded for
 * {whom}: {hash}. Limit type: {unit}. Current limit: {n}, Remaining: {r}. Limit resets at: {YYYY-MM-DD HH:MM:SS UTC}`.
 * In other texts, this function searches for words that name a unit. The name of the status 429 ("Too Many Requests")
 * names no limit.
 */
export const readRefusedLimit = (text: string) => {
  const [, type, measure] = limitNamePattern.exec(text) ?? [];
  const field = type ?? measure ?? usedUpIn(text);
  const [, day, time] = resetPattern.exec(text) ?? [];
  const moment = day === undefined ? Number.NaN : Date.parse(`${day}T${time}Z`);
  return {
    /** The unit of the limit; `null` if the text names no limit. */
    unit: field === undefined ? unitIn(sentenceOf(text), sentenceWords) : unitIn(field, fieldWords),
    /** The reset time, in ms since 1970; `null` if the text names no reset time. */
    resetAt: Number.isNaN(moment) ? null : moment,
  };
};
export type RefusedLimit = ReturnType<typeof readRefusedLimit>;

export interface RequestedWait {
  readonly wait: Milliseconds;
  readonly by: 'retry-after-ms' | 'retry-after';
}

/**
 * The headers that name a wait, in order of preference. Each row has the name of the header, the unit of its value
 * (`null`: any notation), and the standard header under which reports count it.
 */
const waitHeaders = [
  // Source: openai/openai-node, src/client.ts. OpenAI's client also prefers this header to retry-after.
  ['retry-after-ms', 'ms', 'retry-after-ms'],
  // Source: Azure/azure-sdk-for-js, sdk/core/core-rest-pipeline/src/retryStrategies/throttlingRetryStrategy.ts.
  ['x-ms-retry-after-ms', 'ms', 'retry-after-ms'],
  // Source: RFC 9110, section 10.2.3.
  ['retry-after', null, 'retry-after'],
  // Sent by Moonshot together with Retry-After.
  ['x-retry-after', null, 'retry-after'],
  ['x-retry-after-ms', 'ms', 'retry-after-ms'],
  // Sent by Kong (rate-limiting-advanced and ai-rate-limiting-advanced).
  ['x-ratelimit-retry-after', null, 'retry-after'],
  ['x-ai-ratelimit-retry-after', null, 'retry-after'],
  // Sent by bucket4j’s Spring examples, in seconds or in milliseconds.
  ['x-rate-limit-retry-after-seconds', null, 'retry-after'],
  ['x-rate-limit-retry-after-milliseconds', 'ms', 'retry-after-ms'],
  // Sent by Discord (topics, Rate Limits).
  ['x-ratelimit-reset-after', null, 'retry-after'],
  // Sent by gateways whose headers resemble Discord's (uber-go/ratelimit, issue 103).
  ['x-rate-limit-reset-after', null, 'retry-after'],
  // Sent by gRPC servers behind a transcoder (grpc/proposal, A6, pushback).
  ['grpc-retry-pushback-ms', 'ms', 'retry-after-ms'],
  // Sent by gateways that users build themselves. The value is the time left in ms, or a moment in ms since 1970.
  ['x-ratelimit-reset-ms', 'ms', 'retry-after-ms'],
  ['x-rate-limit-reset-ms', 'ms', 'retry-after-ms'],
  ['ratelimit-reset-ms', 'ms', 'retry-after-ms'],
  ['x-ratelimit-reset-after-ms', 'ms', 'retry-after-ms'],
] as const;

/**
 * Matches the names of further headers that name a wait: `x-retry-in` of Traefik (vulcand/oxy,
 * ratelimit/tokenlimiter.go), `retry-after-short` of a named throttler of NestJS (nestjs/throttler),
 * `x-retry-after-seconds`. The group `unit` is present if the wait is in ms.
 */
const otherWaitHeader =
  /^(?!(?:x-)?(?:max|min|no)-)(?:[\w-]+-)?(?:retry-after|retry-in)(?:-(?<unit>ms|millis(?:econds)?)|-s(?:ec(?:ond)?s?)?|-(?:short|medium|long|default))?$/;

/** Returns the waits, in ms, of headers that are not in `waitHeaders`. */
const otherWaits = (headers: Readonly<Record<string, string>>, now: number): readonly number[] =>
  Object.entries(headers).flatMap(([name, value]) => {
    const found = otherWaitHeader.exec(name);
    if (found === null) return [];
    const text = value.replaceAll('"', '');
    const isShort = found.groups?.['unit'] !== undefined;
    const wait = isShort ? millisecondsIn(text, now) : millisecondsUntilReset(text, now);
    return wait !== null && Number.isFinite(wait) && !/^\s*-/.test(text) ? [wait] : [];
  });

/**
 * Reads the value of a header whose wait is in ms. If the header was sent several times (`250, 250`), returns the
 * longest wait. A number of thirteen digits is a moment in ms since 1970. Returns NaN for any other text.
 */
const millisecondsIn = (text: string, now: number): number => {
  const members = text.split(',').map((member) => member.trim());
  return Math.max(
    ...members.map((member) => {
      if (!/^\d+(\.\d+)?(?: ?ms)?$/.test(member)) return Number.NaN;
      const count = Number.parseFloat(member);
      return count >= 1e12 && count < 1e13 ? count - now : count;
    }),
  );
};

/**
 * Returns how long a response asks to wait, in ms: the wait in the first header of `waitHeaders` that is readable, or
 * else the longest wait in other headers; `null` if no header names a wait. A wait of 0 counts only if no header names
 * a longer wait. `Retry-After` is in seconds or an HTTP date (RFC 9110 §10.2.3). A date is compared with the `Date`
 * header of the response. Without a `Date` header, a date is compared with `now` (ms since 1970; NaN if unknown).
 */
export const readRetryAfter = (
  headers: Readonly<Record<string, string>>,
  now: number,
): RequestedWait | null => {
  const clock = dateOf(headers) ?? now;
  let passed: RequestedWait | null = null;
  for (const [name, unit, by] of waitHeaders) {
    const text = headers[name]?.replaceAll('"', '');
    if (text === undefined) continue;
    const wait = unit === 'ms' ? millisecondsIn(text, clock) : millisecondsUntilReset(text, clock);
    // Neither a negative number nor a number of several hundred digits, which is read as infinite, is a wait.
    if (wait === null || !Number.isFinite(wait) || /^\s*-/.test(text)) continue;
    if (wait > 0) return { wait: milliseconds(wait), by };
    passed ??= { wait: milliseconds(0), by };
  }
  const others = otherWaits(headers, clock);
  const longest = Math.max(0, ...others);
  return longest > 0 || (passed === null && others.length > 0)
    ? { wait: milliseconds(longest), by: 'retry-after' }
    : passed;
};
