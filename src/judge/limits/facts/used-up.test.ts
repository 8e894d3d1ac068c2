import { expect, it } from 'vitest';
import { milliseconds } from '../../../model/quantity.ts';
import type { LimitUse } from './token-uses.ts';
import { mayBeUsedUp } from './used-up.ts';

const minute = milliseconds(60_000);

const requestAt = (sent: number, fate: LimitUse['fate']): LimitUse => ({
  sent,
  answered: sent + 10,
  settled: sent + 20,
  fate,
  names: null,
  least: 1,
  most: 1,
  reserved: 1,
});

const burst = (admitted: number): readonly LimitUse[] =>
  Array.from({ length: admitted }, () => requestAt(0, 'admitted'));

const isExplained = (admitted: number, refusedAt: number): boolean => {
  const refusal = requestAt(refusedAt, 'refused');
  return mayBeUsedUp([...burst(admitted), refusal], { limit: 100, window: minute })(refusal);
};

it('a limit may be used up within a minute of all that it allows, and not with room left', () => {
  expect(isExplained(100, 30_000)).toBe(true);
  expect(isExplained(96, 30_000)).toBe(false);
});

it('a weighted counter still counts a part of what was used more than a minute before', () => {
  // A window that began with the burst ended after a minute, and its weight then falls by 1 % in 0.6 s.
  expect(isExplained(110, 63_000)).toBe(true);
  expect(isExplained(100, 90_000)).toBe(false);
});

it('a weighted counter looks back two windows, with a weight that falls in sixteenths', () => {
  // The longest window of a minute has 61,000 ms. The burst was settled at 20 ms, 17 sixteenths before this moment.
  const last = 20 + (17 * 61_000) / 16;
  expect([99, 100].map((admitted) => isExplained(admitted, last))).toEqual([false, true]);
  // One more is asked for than 15/16 of the burst.
  expect([105, 106].map((admitted) => isExplained(admitted, last + 1))).toEqual([false, true]);
});

it('an answer without usage counts as the most that it can have reserved, or as nothing where that is unknown', () => {
  const withUnknown = (reserved: number): boolean => {
    const unknown = { ...requestAt(100, 'admitted'), most: Infinity, reserved };
    const refusal = requestAt(30_000, 'refused');
    const uses = [...burst(60), unknown, refusal];
    return mayBeUsedUp(uses, { limit: 100, window: minute })(refusal);
  };
  expect(withUnknown(40)).toBe(true);
  expect(withUnknown(20)).toBe(false);
  expect(withUnknown(Infinity)).toBe(false);
});
