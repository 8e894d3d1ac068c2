import { expect, it } from 'vitest';
import { calmOf } from './slow-spells.ts';

/** A sample every 2 ms for 2 s, 10 µs each but where another is told. */
const samples = (told: (at: number) => number) => {
  const at = Array.from({ length: 1000 }, (_, i) => 2 * i);
  return { at, took: at.map(told) };
};

it('a spell, and what it held up, is not calm; all else is', () => {
  const { isCalm } = calmOf(samples((at) => (at >= 1000 && at < 1030 ? 110 : 10 + (at % 3))));
  expect([500, 990, 998.5, 1010, 1029, 1220, 1231, 1900].map(isCalm)).toStrictEqual([
    ...[true, true, false, false, false, false, true, true],
  ]);
});

it('a spell in which another begins lasts until both are over', () => {
  const isSpell = (at: number): boolean => at === 600 || at === 650;
  const { isCalm } = calmOf(samples((at) => (isSpell(at) ? 30 : 10)));
  expect([597, 640, 820, 851].map(isCalm)).toStrictEqual([true, false, false, true]);
});

it('time of which nothing was told is not vouched for', () => {
  const { at, took } = samples(() => 10);
  const silent = at.map((_, i) => i).filter((i) => at[i]! < 400 || at[i]! > 440);
  const { isCalm } = calmOf({ at: silent.map((i) => at[i]!), took: silent.map((i) => took[i]!) });
  expect([-1, 50, 201, 395, 420, 600, 660, 1998, 1999].map(isCalm)).toStrictEqual([
    ...[false, false, true, true, false, false, true, true, false],
  ]);
  expect(calmOf({ at: [], took: [] }).isCalm(0)).toBe(false);
});
