import { describe, expect, it } from 'vitest';
import { readHint } from './retry-hint.ts';

const date = 'Sun, 01 Mar 2026 12:00:00 GMT';
const body = (reset: string): string =>
  `{"error":{"message":"Rate limit exceeded. Limit resets at: ${reset}","code":"429"}}`;

describe('when to come back', () => {
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
      'a date that is past',
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
    expect(readHint(headers as Record<string, string>, text)).toEqual({ wait, by });
  });

  it('is told by the best of several ways', () => {
    const headers = { date, 'retry-after-ms': '5', 'retry-after': '60' };
    const text = body('2026-03-01 12:00:42 UTC');
    expect(readHint(headers, text)?.by).toBe('retry-after-ms');
    expect(readHint({ ...headers, 'retry-after-ms': '-1' }, text)?.by).toBe('retry-after');
    expect(
      readHint({ ...headers, 'retry-after-ms': 'soon', 'retry-after': 'soon' }, text)?.by,
    ).toBe('reset-in-body');
  });

  it.each([
    ['nothing', {}, ''],
    ['a date without the server’s clock', { 'retry-after': 'Sun, 01 Mar 2026 12:00:30 GMT' }, ''],
    ['a reset time without the server’s clock', {}, body('2026-03-01 12:00:42 UTC')],
    ['an impossible reset time', { date }, body('2026-13-41 12:00:42 UTC')],
    ['nonsense', { 'retry-after': '1e9', 'retry-after-ms': 'Infinity' }, ''],
  ])('is not known from %s', (_, headers, text) => {
    expect(readHint(headers as Record<string, string>, text)).toBeNull();
  });
});
