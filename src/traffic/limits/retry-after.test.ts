import { expect, it } from 'vitest';
import { readRefusedLimit, readRetryAfter } from './retry-after.ts';

const now = Date.parse('2026-03-01T12:00:00Z');

it.each([
  ['seconds', { 'retry-after': '7' }, 7000],
  ['broken seconds', { 'retry-after': '0.5' }, 500],
  ['the finer header', { 'retry-after': '1', 'retry-after-ms': '250' }, 250],
  ['a date, against now', { 'retry-after': 'Sun, 01 Mar 2026 12:00:05 GMT' }, 5000],
  [
    'a date, against the Date header',
    { 'retry-after': 'Sun, 01 Mar 2026 12:00:05 GMT', date: 'Sun, 01 Mar 2026 12:00:02 GMT' },
    3000,
  ],
  ['a doubled header', { 'retry-after': '2, 2' }, 2000],
  ['several waits, of which none is undercut', { 'retry-after': '1, 7' }, 7000],
  ['Azure’s header', { 'x-ms-retry-after-ms': '1234' }, 1234],
  ['a quoted number', { 'retry-after': '"20"' }, 20_000],
  ['milliseconds with their unit', { 'retry-after-ms': '250 ms' }, 250],
  ['milliseconds under another name', { 'x-retry-after-ms': '300' }, 300],
  ['Discord’s header', { 'x-ratelimit-reset-after': '1.25' }, 1250],
  [
    'the next header if the first is unreadable',
    { 'retry-after-ms': 'x', 'retry-after': '3' },
    3000,
  ],
  ['a date of RFC 850', { 'retry-after': 'Sunday, 01-Mar-26 12:00:05 GMT' }, 5000],
  ['a date of asctime', { 'retry-after': 'Sun Mar  1 12:00:05 2026' }, 5000],
  [
    'a doubled date',
    { 'retry-after': 'Sun, 01 Mar 2026 12:00:05 GMT, Sun, 01 Mar 2026 12:00:05 GMT' },
    5000,
  ],
  ['a duration of ISO 8601', { 'retry-after': 'PT1M2.5S' }, 62_500],
  ['days of ISO 8601', { 'retry-after': 'P1DT1H' }, 90_000_000],
  ['no duration of ISO 8601', { 'retry-after': 'PT' }, null],
  [
    'a date as JavaScript prints it',
    { 'retry-after': 'Sun Mar 01 2026 13:00:05 GMT+0100 (Central European Standard Time)' },
    5000,
  ],
  ['a separate reset header', { 'x-rate-limit-reset-after': '2' }, 2000],
  ['gRPC’s pushback', { 'grpc-retry-pushback-ms': '250' }, 250],
  ['the reset of a gateway in ms', { 'x-ratelimit-reset-ms': '1500' }, 1500],
  ['its moment in ms', { 'x-ratelimit-reset-ms': String(now + 2500) }, 2500],
  ['a wait, whatever the reset', { 'x-ratelimit-reset-ms': '9000', 'retry-after': '2' }, 2000],
  ['a date in the past', { 'retry-after': 'Sun, 01 Mar 2026 11:00:00 GMT' }, 0],
  ['nothing readable', { 'retry-after': 'later' }, null],
  ['a negative number', { 'retry-after': '-5' }, null],
  ['another header beside a negative one', { 'retry-after': '-5', 'x-retry-after': '3' }, 3000],
  ['nothing but a negative number of ms', { 'x-ratelimit-reset-ms': '-250' }, null],
  ['nothing', {}, null],
])('a retry is requested by %s', (_, headers, wait) => {
  expect(readRetryAfter(headers as Record<string, string>, now)?.wait ?? null).toBe(wait);
});

it('the second form of a 429 names its limit and its reset', () => {
  expect(
    readRefusedLimit(
      'Rate limit exceeded for api_key: 12ab34requests. Limit type: tokens. Current limit: 2000000, Remaining: 0. Limit resets at: 2026-03-01 12:00:30 UTC',
    ),
  ).toStrictEqual({ unit: 'tokens', resetAt: now + 30_000 });
});

it('the name of the status names no limit', () => {
  expect(readRefusedLimit('429 Too Many Requests').unit).toBeNull();
  expect(readRefusedLimit('429 - Too many requests | g.example').unit).toBeNull();
  expect(readRefusedLimit('Too many requests: 5 requests in flight').unit).toBe('in-flight');
  expect(readRefusedLimit('429 Too Many Requests: 60 requests a minute').unit).toBe('requests');
});

it('of several limits that a text lists with what is used of each, the only one that is used up is named', () => {
  // LiteLLM 1.63.14, litellm/proxy/hooks/parallel_request_limiter.py.
  const listing = (rpm: number, tpm: number, parallel: number): string =>
    `LiteLLM Rate Limit Handler for rate limit type = key. Crossed TPM / RPM / Max Parallel Request Limit. current rpm: ${rpm}, rpm limit: 60, current tpm: ${tpm}, tpm limit: 20000, current max_parallel_requests: ${parallel}, max_parallel_requests: 9`;
  const unitOf = (...used: Parameters<typeof listing>) => readRefusedLimit(listing(...used)).unit;
  expect(unitOf(45, 20_800, 8)).toBe('tokens');
  expect(unitOf(60, 19_999, 8)).toBe('requests');
  expect(unitOf(45, 0, 9)).toBe('in-flight');
  expect(unitOf(60, 20_000, 8)).toBeNull();
  expect(unitOf(1, 1, 1)).toBeNull();
});

it('any other 429 is read from its message', () => {
  expect(readRefusedLimit('Rate limit reached: 5 requests in flight for this key.').unit).toBe(
    'in-flight',
  );
  expect(
    readRefusedLimit('Limit reached: 60 requests or 2,000,000 tokens per minute').unit,
  ).toBeNull();
  expect(readRefusedLimit('Request too large for m on tokens per min (TPM): Limit 9').unit).toBe(
    'tokens',
  );
  expect(readRefusedLimit('TPM limit exceeded').unit).toBe('tokens');
  expect(readRefusedLimit('slow down')).toStrictEqual({ unit: null, resetAt: null });
});

it.each([
  ['Spring’s', '{"status":429,"error":"Too Many Requests"}'],
  ['that of RFC 6585', 'The user has sent too many requests in a given amount of time'],
  ['one for an address', 'Too many requests from this IP, please try again after 15 minutes'],
  ['FastAPI’s', '{"detail":"Too Many Requests"}'],
  ['hono-rate-limiter’s', 'Too many requests, please try again later.'],
  ['Django’s', 'Request was throttled. Expected available in 5 seconds.'],
  ['one for a key called a token', 'Rate limit exceeded for this API token. Retry your request.'],
  ['one for an access token', 'Quota of access tokens of this user exceeded'],
  ['Azure API Management’s', 'Rate limit is exceeded. Try again in 9 seconds.'],
  ['one with advice', 'Rate limit exceeded: slow down, or reduce your request rate'],
  [
    'another with advice',
    'Rate limit exceeded: reduce the number of requests or reduce concurrency',
  ],
])('a 429 that names no limit has no unit: %s', (_, text) => {
  expect(readRefusedLimit(text).unit).toBeNull();
});

it.each([
  ['Too many requests per minute for this key', 'requests'],
  ['Too many requests in 60 seconds', 'requests'],
  ['Too many requests in the last minute', 'requests'],
  ['You have reached the limit of requests of your plan', 'requests'],
  ['Request limit exceeded', 'requests'],
  ['Your request rate is above the limit', 'requests'],
  ['You have exceeded 60 requests a minute', 'requests'],
  ['This organization reached its limit of 20,000 input tokens per minute', 'tokens'],
  ['Token limit reached for this API token', 'tokens'],
  ['Token rate exceeded, please retry your request later', 'tokens'],
  ['Too many concurrent requests', 'in-flight'],
  ['Max parallel requests reached', 'in-flight'],
])('a 429 that names its limit in a sentence is read: %s', (text, unit) => {
  expect(readRefusedLimit(text).unit).toBe(unit);
});

it.each([
  ['Traefik’s', { 'x-retry-in': '30s' }, 30_000],
  ['NestJS’s of a named throttler', { 'retry-after-short': '2' }, 2000],
  ['a unit in the name', { 'x-retry-after-seconds': '2' }, 2000],
  ['ms in the name', { 'x-gateway-retry-after-ms': '250' }, 250],
  ['the longest of several', { 'x-retry-in': '1s', 'retry-after-long': '9' }, 9000],
])('a header with another name is a wait: %s', (_, headers, wait) => {
  expect(readRetryAfter(headers as Record<string, string>, Number.NaN)?.wait).toBe(wait);
});

it('a header with a wait comes before one with a wait of 0', () => {
  const waitOf = (headers: Readonly<Record<string, string>>) =>
    readRetryAfter(headers, Number.NaN)?.wait;
  expect(waitOf({ 'retry-after-ms': '0', 'retry-after': '2' })).toBe(2000);
  expect(waitOf({ 'retry-after': '0', 'x-retry-in': '3s' })).toBe(3000);
  expect(waitOf({ 'retry-after': '0', 'x-retry-in': '0' })).toBe(0);
  expect(waitOf({ 'x-retry-in': '0' })).toBe(0);
});

it('the table of headers comes before other names', () => {
  const headers = { 'x-retry-in': '30s', 'retry-after': '2' };
  expect(readRetryAfter(headers, Number.NaN)?.wait).toBe(2000);
  expect(readRetryAfter({ 'x-retry-after-count': '5' }, Number.NaN)).toBeNull();
  expect(readRetryAfter({ 'x-max-retry-after': '60' }, Number.NaN)).toBeNull();
});
