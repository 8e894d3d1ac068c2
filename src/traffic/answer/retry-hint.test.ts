import { describe, expect, it } from 'vitest';
import { readRetryHint, type RefusedResponse } from './retry-hint.ts';

const date = 'Sun, 01 Mar 2026 12:00:00 GMT';
const body = (reset: string): string =>
  `{"error":{"message":"Rate limit exceeded. Limit resets at: ${reset}","code":"429"}}`;

const hint = (headers: object, text = '', status = 429) =>
  readRetryHint({ status, headers: headers as RefusedResponse['headers'], body: text });

describe('the retry hint', () => {
  it.each([
    ['milliseconds', { 'retry-after-ms': '1500' }, '', [1500, 'retry-after-ms']],
    ['seconds', { 'retry-after': '60' }, '', [60_000, 'retry-after']],
    ['fractions of a second', { 'retry-after': '0.5' }, '', [500, 'retry-after']],
    ['nothing to wait for', { 'retry-after': '0' }, '', [0, 'retry-after']],
    [
      'a date, by the server’s own clock',
      { date, 'retry-after': 'Sun, 01 Mar 2026 12:00:30 GMT' },
      '',
      [30_000, 'retry-after'],
    ],
    [
      'a date in the past',
      { date, 'retry-after': 'Sun, 01 Mar 2026 11:59:30 GMT' },
      '',
      [0, 'retry-after'],
    ],
    [
      'a reset time in the body',
      { date },
      body('2026-03-01 12:00:42 UTC'),
      [42_000, 'reset-in-body'],
    ],
    [
      'a reset time of a zone ahead that is labelled UTC',
      { date },
      body('2026-03-01 14:00:42 UTC'),
      [42_000, 'reset-in-body'],
    ],
    [
      'a reset time of a zone behind that is labelled UTC',
      { date },
      body('2026-03-01 06:30:42 UTC'),
      [42_000, 'reset-in-body'],
    ],
    [
      'a reset time of this second',
      { date },
      body('2026-03-01 11:59:59 UTC'),
      [0, 'reset-in-body'],
    ],
  ])('is read from %s', (_, headers, text, [wait, by]) => {
    expect(hint(headers, text)).toEqual({ wait, by });
  });

  it('is the best of several hints', () => {
    const headers = { date, 'retry-after-ms': '5', 'retry-after': '60' };
    const text = body('2026-03-01 12:00:42 UTC');
    expect(hint(headers, text)?.by).toBe('retry-after-ms');
    expect(hint({ ...headers, 'retry-after-ms': '-1' }, text)?.by).toBe('retry-after');
    expect(hint({ ...headers, 'retry-after-ms': 'soon', 'retry-after': 'soon' }, text)?.by).toBe(
      'reset-in-body',
    );
  });

  it.each([
    ['nothing', {}, ''],
    ['a date without the server’s clock', { 'retry-after': 'Sun, 01 Mar 2026 12:00:30 GMT' }, ''],
    ['a reset time without the server’s clock', {}, body('2026-03-01 12:00:42 UTC')],
    ['an impossible reset time', { date }, body('2026-13-41 12:00:42 UTC')],
    ['nonsense', { 'retry-after': '1e9', 'retry-after-ms': 'Infinity' }, ''],
    ['a time centuries away', { 'retry-after': '9'.repeat(400) }, ''],
  ])('is unknown from %s', (_, headers, text) => {
    expect(hint(headers, text)).toBeNull();
  });

  it.each([
    [
      'the limit that is used up',
      {
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '1m26.4s',
        'x-ratelimit-remaining-tokens': '12',
        'x-ratelimit-reset-tokens': '6m0s',
      },
      'slow down',
      86_400,
    ],
    [
      'the limit that the refusal names',
      { 'x-ratelimit-reset-requests': '120ms', 'x-ratelimit-reset-tokens': '7.66s' },
      'Rate limit reached on tokens per minute',
      7660,
    ],
    [
      'the later one of two that are used up',
      {
        date,
        'anthropic-ratelimit-requests-remaining': '0',
        'anthropic-ratelimit-requests-reset': '2026-03-01T12:00:05Z',
        'anthropic-ratelimit-input-tokens-remaining': '0',
        'anthropic-ratelimit-input-tokens-reset': '2026-03-01T12:00:20Z',
      },
      '',
      20_000,
    ],
    [
      'the sooner one if it is unknown which limit was hit',
      { 'x-ratelimit-reset-requests': '24h', 'x-ratelimit-reset-tokens': '2s' },
      'slow down',
      2000,
    ],
    ['the draft of the IETF', { ratelimit: '"default";r=0;t=30' }, '', 30_000],
    [
      'draft 7 of the IETF',
      { ratelimit: 'limit=60, remaining=0, reset=2' },
      'Please try again in 2s.',
      2000,
    ],
    [
      'a limit per day',
      {
        'x-ratelimit-remaining-requests-day': '0',
        'x-ratelimit-reset-requests-day': '33011.5',
        'x-ratelimit-reset-tokens-minute': '11',
      },
      '',
      33_011_500,
    ],
    ['Kong', { 'x-ratelimit-remaining-minute': '0', 'ratelimit-reset': '9' }, '', 9000],
    ['a reset in the past', { date, 'x-ratelimit-reset': '1772366390' }, '', 0],
  ])('is read from reset headers: %s', (_, headers, text, wait) => {
    expect(hint(headers, text)).toEqual({ wait, by: 'reset-header' });
  });

  it('prefers reset headers to the body, and only those of limits', () => {
    const headers = { date, 'x-ratelimit-reset-requests': '5s' };
    const text = body('2026-03-01 12:00:42 UTC');
    expect(hint(headers, text)?.by).toBe('reset-header');
    expect(hint({ ...headers, 'retry-after': '1' }, text)?.by).toBe('retry-after');
    expect(hint(headers, text, 503)).toBeNull();
  });

  it('is never shorter than the wait that the body names', () => {
    const headers = { 'x-ratelimit-reset-requests': '120ms' };
    expect(hint(headers, 'Please try again in 2s.')).toEqual({ wait: 2000, by: 'wait-in-body' });
    expect(hint({}, 'Please retry after 7 seconds.', 503)).toEqual({
      wait: 7000,
      by: 'wait-in-body',
    });
  });

  it.each([
    ['1', 'Please try again in 3s.', 3000, 'wait-in-body'],
    ['1', '{"error":{"message":"limit","retry_after":7}}', 7000, 'wait-in-body'],
    ['3', 'Please try again in 3s.', 3000, 'retry-after'],
    ['3', 'Please try again in 1.2s.', 3000, 'retry-after'],
  ])('is the longer of Retry-After: %s and %s', (text, said, wait, by) => {
    for (const status of [429, 503])
      expect(hint({ 'retry-after': text }, said, status)).toEqual({ wait, by });
    expect(hint({ 'retry-after-ms': `${text}000` }, said)?.wait).toBe(wait);
  });

  it.each([500, 503, 529])(
    'of a %s is read from the headers of limits that are used up',
    (status) => {
      const used = { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0' };
      const of = (headers: object) => hint(headers, 'no more requests', status);
      expect(of({ ...used, 'x-ratelimit-reset': '2' })).toEqual({ wait: 2000, by: 'reset-header' });
      expect(of({ ratelimit: '"default";r=0;t=30' })).toMatchObject({ wait: 30_000 });
      expect(of({ ...used, 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': '2' })).toBeNull();
      expect(of({ 'x-ratelimit-reset-requests': '2s' })).toBeNull();
    },
  );

  it.each(['ratelimit-resettime', 'ratelimit-reset-time', 'x-ratelimit-resettime'])(
    'is read from a date in %s',
    (name) => {
      const until = { date, [name]: 'Sun, 01 Mar 2026 12:00:03 GMT' };
      expect(hint({ ...until, 'ratelimit-remaining': '0' })).toEqual({
        wait: 3000,
        by: 'reset-header',
      });
    },
  );

  it.each([
    ['0', '0'],
    ['a moment that has passed', 'Sun, 01 Mar 2026 11:59:30 GMT'],
  ])('is another wait that is named if Retry-After is %s', (_, text) => {
    const headers = { date, 'retry-after': text };
    expect(hint(headers, 'Please try again in 2s.')).toEqual({ wait: 2000, by: 'wait-in-body' });
    expect(hint({ ...headers, 'x-ratelimit-reset-requests': '5s' })).toEqual({
      wait: 5000,
      by: 'reset-header',
    });
  });

  it('is unknown from a reset time without the server’s clock', () => {
    expect(hint({ 'x-ratelimit-reset': '1772366390' })).toBeNull();
  });
});
