import { expect, it } from 'vitest';
import { median } from './median.ts';

it('is the one in the middle, the upper one of an even number', () => {
  expect([median([3, 1, 2]), median([4, 1, 3, 2]), median([10, 9])]).toEqual([2, 3, 10]);
});

it('is no number of none, and where one of them is none', () => {
  expect([median([]), median([1, Number.NaN, 2, 3])]).toEqual([Number.NaN, Number.NaN]);
});
