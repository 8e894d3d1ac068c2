import { expect, it } from 'vitest';
import { latenessOf, median } from './statistics.ts';

it('the median is the middle value, the upper one of an even number', () => {
  expect([median([3, 1, 2]), median([4, 1, 3, 2]), median([10, 9])]).toEqual([2, 3, 10]);
});

it('the median of no values, or of values with a NaN, is NaN', () => {
  expect([median([]), median([1, Number.NaN, 2, 3])]).toEqual([Number.NaN, Number.NaN]);
});

it('a pause of the machine moves the percentiles of all tokens, not that of the median half second', () => {
  // Each token is 1 ms late, except those in one pause of 100 ms.
  const tokens = Array.from({ length: 5000 }, (_, due) => ({
    due,
    sent: due >= 2000 && due < 2100 ? 2100 : due + 1,
  }));
  const late = latenessOf(tokens);
  expect(late).toStrictEqual({ p50: 1, p99: 51, max: 100, medianP99: 1, early: 0 });
});

it('tokens that are sent too early are counted', () => {
  const tokens = [
    { due: 0, sent: 0 },
    { due: 10, sent: 9.5 },
    { due: 2000, sent: 2001 },
  ];
  expect(latenessOf(tokens).early).toBe(1);
});
