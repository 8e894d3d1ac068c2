import { expect, it } from 'vitest';
import { normalSpeedOf } from './slow-intervals.ts';

/** A sample every 2 ms for 2 s, 10 µs each but where another is told. */
const samples = (told: (at: number) => number) => {
  const at = Array.from({ length: 1000 }, (_, i) => 2 * i);
  return { at, durations: at.map(told) };
};

it('a spell, and what it held up, is not calm; all else is', () => {
  const { isNormalAt } = normalSpeedOf(
    samples((at) => (at >= 1000 && at < 1030 ? 110 : 10 + (at % 3))),
  );
  expect([500, 990, 998.5, 1010, 1029, 1220, 1231, 1900].map(isNormalAt)).toStrictEqual([
    true,
    true,
    false,
    false,
    false,
    false,
    true,
    true,
  ]);
});

it('a spell in which another begins lasts until both are over', () => {
  const isSlow = (at: number): boolean => at === 600 || at === 650;
  const { isNormalAt } = normalSpeedOf(samples((at) => (isSlow(at) ? 30 : 10)));
  expect([597, 640, 820, 851].map(isNormalAt)).toStrictEqual([true, false, false, true]);
});

it('time of which nothing was told is not vouched for', () => {
  const { at, durations } = samples(() => 10);
  const silent = at.map((_, i) => i).filter((i) => at[i]! < 400 || at[i]! > 440);
  const { isNormalAt } = normalSpeedOf({
    at: silent.map((i) => at[i]!),
    durations: silent.map((i) => durations[i]!),
  });
  expect([-1, 50, 201, 395, 420, 600, 660, 1998, 1999].map(isNormalAt)).toStrictEqual([
    false,
    false,
    true,
    true,
    false,
    false,
    true,
    true,
    false,
  ]);
  expect(normalSpeedOf({ at: [], durations: [] }).isNormalAt(0)).toBe(false);
});
