import { jsonIn } from './json-text.ts';
import { readRetryAfter } from '../limits/retry-after.ts';
import { durationIn, durationPattern, millisecondsUntilReset } from '../limits/wait-text.ts';

/** This file reads the waits that servers name in the bodies of refusals. */

/** Returns the wait in ms, or `null`. `now` is the time by the server's clock in ms since 1970, NaN if unknown. */
type WaitReader = (body: string, now: number) => number | null;

const duration = `(?<wait>${durationPattern})`;

/** Returns a reader that finds the first match of a pattern with the group `wait`. */
const sentence = (pattern: string): WaitReader => {
  const expression = new RegExp(pattern, 'i');
  return (body) => {
    const text = expression.exec(body)?.groups?.['wait'];
    const wait = text === undefined ? Number.NaN : durationIn(text);
    return Number.isFinite(wait) ? wait : null;
  };
};

/** Returns all objects in a JSON value, the outer ones first; a body is bounded, and this many are enough. */
const maxObjects = 200;
const objectsIn = (value: unknown): readonly Readonly<Record<string, unknown>>[] => {
  const found: Record<string, unknown>[] = [];
  const left: unknown[] = [value];
  for (let i = 0; i < left.length && found.length < maxObjects; i += 1) {
    const each = left[i];
    if (typeof each !== 'object' || each === null) continue;
    if (!Array.isArray(each)) found.push(each as Record<string, unknown>);
    for (const inner of Object.values(each).slice(0, maxObjects)) left.push(inner);
  }
  return found;
};

/** The fields that name a wait, with the length of their unit in ms. */
const waitFields = [
  ['retry_after_ms', 1],
  ['retryAfterMs', 1],
  ['retry_after_seconds', 1000],
  ['retry_after', 1000],
  ['retryAfter', 1000],
] as const;

const fieldWait: WaitReader = (body) => {
  if (!/retry_?after/i.test(body)) return null;
  for (const object of objectsIn(jsonIn(body))) {
    for (const [name, unit] of waitFields) {
      const value = object[name];
      if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value * unit;
      if (typeof value !== 'string') continue;
      const wait = /^\d+(\.\d+)?$/.test(value) ? Number(value) * unit : durationIn(value);
      if (Number.isFinite(wait)) return wait;
    }
  }
  return null;
};

/** Reads headers that a router passes on within the body. */
const headersInBody: WaitReader = (body, now) => {
  if (!/"headers"/.test(body)) return null;
  for (const { headers } of objectsIn(jsonIn(body))) {
    if (typeof headers !== 'object' || headers === null) continue;
    const fields = Object.fromEntries(
      Object.entries(headers).flatMap(([name, value]: [string, unknown]) =>
        typeof value === 'string' || typeof value === 'number'
          ? [[name.toLowerCase(), String(value)]]
          : [],
      ),
    );
    const wait =
      readRetryAfter(fields, now)?.wait ??
      millisecondsUntilReset(fields['x-ratelimit-reset'] ?? '', now);
    if (wait !== null) return Math.max(0, wait);
  }
  return null;
};

/**
 * The forms in which bodies name a wait, each with its source. The longest wait found counts, since a router's text
 * can contain the text of the server behind it.
 */
const waitForms: readonly (readonly [form: string, source: string, read: WaitReader])[] = [
  [
    'RetryInfo',
    'google.rpc.RetryInfo (googleapis/googleapis, google/rpc/error_details.proto), also quoted within a string by proxies',
    sentence(String.raw`retryDelay\\*"\s*:\s*\\*"(?<wait>${durationPattern})`),
  ],
  [
    'try again in',
    'OpenAI and Groq ("Please try again in 14m5.856s"), Azure API Management ("Rate limit is exceeded. Try again in 59 seconds.", "Quota will be replenished in 00:30:02."), LiteLLM’s router ("No deployments available for selected model, Try again in 60 seconds"), Gemini ("Please retry in 15.002899939s"), Moonshot ("please try again after 1 seconds")',
    sentence(
      String.raw`\b(?:try again|retry|retrying|reset|resets|available again|replenished)(?: your request)? (?:in|after):? ${duration}`,
    ),
  ],
  [
    'wait … before',
    'GitHub Models ("Rate limit of 10 per 60s exceeded for UserByModelByMinute. Please wait 42 seconds before retrying.")',
    sentence(String.raw`\bwait (?:for |at least )?${duration}`),
  ],
  [
    'fields',
    'Cloudflare’s errors in JSON ("cloudflare_error": true, "retry_after": 60), OpenRouter (error.metadata.retry_after_seconds)',
    fieldWait,
  ],
  [
    'headers',
    'OpenRouter (error.metadata.headers: {"X-RateLimit-Limit":"20","X-RateLimit-Reset":"1765661760000"}, in ms since 1970)',
    headersInBody,
  ],
];

/** Returns the wait that the body of a refusal names, in ms; `null` if it names none. */
export const readWaitInBody = (body: string, now: number): number | null => {
  const waits = waitForms.flatMap(([, , read]) => read(body, now) ?? []);
  return waits.length === 0 ? null : Math.max(...waits);
};
