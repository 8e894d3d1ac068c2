import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCodePoint } from '../../model/code-points-suite.fixture.ts';
import { readReportedLimits } from './read-limit-headers.ts';

const now = Date.parse('2026-03-01T12:00:00Z');
const reportedIn = (headers: Record<string, string>) => readReportedLimits(headers, now).reported;

const limitOf = (profile: string, descriptor: string | null, unit: string, cells: object) => ({
  profile,
  descriptor,
  unit,
  limit: null,
  remaining: null,
  resetIn: null,
  ...cells,
});
const [minute, day] = [60_000, 86_400_000];

describe('limit headers', () => {
  it('are read for any LiteLLM descriptor', () => {
    expect(
      reportedIn({
        'x-ratelimit-api_key-limit-requests': '60',
        'x-ratelimit-api_key-remaining-requests': '12',
        'x-ratelimit-model_per_key-remaining-tokens': '1999000',
        'x-ratelimit-team-limit-max_parallel_requests': '8',
      }),
    ).toStrictEqual([
      limitOf('litellm', 'api_key', 'requests', { limit: 60, remaining: 12, window: minute }),
      limitOf('litellm', 'model_per_key', 'tokens', { remaining: 1_999_000, window: minute }),
      limitOf('litellm', 'team', 'max_parallel_requests', { limit: 8, window: minute }),
    ]);
  });

  it('of OpenAI and Groq have resets as Go durations', () => {
    expect(
      reportedIn({
        'x-ratelimit-limit-requests': '14400',
        'x-ratelimit-remaining-requests': '14370',
        'x-ratelimit-reset-requests': '2m59.56s',
        'x-ratelimit-limit-tokens': '18000',
        'x-ratelimit-reset-tokens': '6ms',
      }),
    ).toStrictEqual([
      limitOf('openai', null, 'requests', {
        limit: 14_400,
        remaining: 14_370,
        resetIn: 179_560,
        window: day,
      }),
      limitOf('openai', null, 'tokens', { limit: 18_000, resetIn: 6, window: minute }),
    ]);
  });

  it('of Azure have resets in whole seconds, and −1 for an unknown limit', () => {
    expect(
      reportedIn({ 'x-ratelimit-limit-tokens': '-1', 'x-ratelimit-reset-requests': '7' }),
    ).toStrictEqual([
      limitOf('openai', null, 'tokens', { window: minute }),
      limitOf('openai', null, 'requests', { resetIn: 7000, window: minute }),
    ]);
  });

  it('of Anthropic have resets as RFC 3339 times', () => {
    expect(
      reportedIn({
        'anthropic-ratelimit-input-tokens-limit': '40000',
        'anthropic-ratelimit-input-tokens-reset': '2026-03-01T12:00:30Z',
      }),
    ).toStrictEqual([
      limitOf('anthropic', null, 'input-tokens', {
        limit: 40_000,
        resetIn: 30_000,
        window: minute,
      }),
    ]);
  });

  it('of Mistral name the period', () => {
    expect(
      reportedIn({
        'x-ratelimit-limit-tokens-minute': '500000',
        'x-ratelimit-remaining-req-minute': '4',
        'x-ratelimit-tokens-query-cost': '12',
      }),
    ).toStrictEqual([
      limitOf('mistral', 'minute', 'tokens', { limit: 500_000, window: minute }),
      limitOf('mistral', 'minute', 'requests', { remaining: 4, window: minute }),
    ]);
  });

  it('of the IETF draft are structured fields', () => {
    expect(
      reportedIn({
        'ratelimit-policy': '"burst";q=100;w=60,"daily";q=1000;w=86400',
        ratelimit: '"burst";r=50;t=30',
      }),
    ).toStrictEqual([
      limitOf('ietf', 'burst', 'requests', {
        limit: 100,
        remaining: 50,
        resetIn: 30_000,
        window: minute,
      }),
      limitOf('ietf', 'daily', 'requests', { limit: 1000, window: day }),
    ]);
  });

  it.each([
    ['a delta', '30', 30_000],
    ['a Unix time', String(now / 1000 + 30), 30_000],
    ['a Unix time in milliseconds', String(now + 30_000), 30_000],
    ['an HTTP date', 'Sun, 01 Mar 2026 12:00:30 GMT', 30_000],
  ])('in the common form have resets as %s', (_, text, resetIn) => {
    expect(reportedIn({ 'x-ratelimit-reset': text })).toStrictEqual([
      limitOf('legacy', null, 'requests', { resetIn }),
    ]);
  });

  it('that cannot be read are reported with their text', () => {
    expect(
      readReportedLimits(
        {
          'x-ratelimit-api_key-remaining-requests': 'NaN',
          'x-ratelimit-api_key-limit-requests': '60, 61',
          'x-ratelimit-reset': 'soon',
          ratelimit: '"open;r=1',
          'content-type': 'text/plain',
        },
        now,
      ),
    ).toStrictEqual({
      reported: [],
      unreadable: [
        'x-ratelimit-api_key-remaining-requests: NaN',
        'x-ratelimit-api_key-limit-requests: 60, 61',
        'x-ratelimit-reset: soon',
        'ratelimit: "open;r=1',
      ],
    });
  });

  it('never throw and give finite numbers for any values', () => {
    const name = fc.constantFrom(
      'x-ratelimit-api_key-limit-requests',
      'x-ratelimit-reset-tokens',
      'ratelimit',
      'ratelimit-policy',
      'x-ratelimit-reset',
      'anthropic-ratelimit-tokens-reset',
    );
    const digit = fc.constantFrom(...'0123456789');
    const short = fc.string({ unit: digit, minLength: 1 });
    // No double holds a number of 400 digits.
    const digits = fc.oneof(short, fc.string({ unit: digit, minLength: 400, maxLength: 400 }));
    const value = fc.oneof(
      fc.string({ unit: anyCodePoint }),
      digits,
      fc.tuple(digits, fc.constantFrom('s', 'ms', 'h')).map((parts) => parts.join('')),
      digits.map((count) => `"a";r=${count};t=${count};q=${count};w=${count}`),
    );
    let cells = 0;
    fc.assert(
      fc.property(name, value, (header, text) => {
        const read = readReportedLimits({ [header]: text }, now);
        for (const { limit, remaining, resetIn } of read.reported) {
          for (const cell of [limit, remaining, resetIn].filter((each) => each !== null)) {
            expect(cell).toBeLessThan(Infinity);
            expect(cell).toBeGreaterThan(-Infinity);
            cells += 1;
          }
        }
      }),
      { numRuns: 500 },
    );
    expect(cells).toBeGreaterThan(50);
  });
});
