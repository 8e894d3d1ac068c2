import { expect, it } from 'vitest';
import { normalSpeedOf } from './slow-intervals.ts';

/** A sample every 2 ms for 2 s. */
const samples = (durationAt: (at: number) => number) => {
  const at = Array.from({ length: 1000 }, (_, i) => 2 * i);
  return { at, durations: at.map(durationAt) };
};

it('a slow interval and the time that it delayed are not normal; all other time is', () => {
  const isNormalAt = normalSpeedOf(
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

it('a slow interval in which another begins lasts until both are over', () => {
  const isSlow = (at: number): boolean => at === 600 || at === 650;
  const isNormalAt = normalSpeedOf(samples((at) => (isSlow(at) ? 30 : 10)));
  expect([597, 640, 820, 851].map(isNormalAt)).toStrictEqual([true, false, false, true]);
});

it('time without samples is not normal', () => {
  const { at, durations } = samples(() => 10);
  const sampled = at.map((_, i) => i).filter((i) => at[i]! < 400 || at[i]! > 440);
  const isNormalAt = normalSpeedOf({
    at: sampled.map((i) => at[i]!),
    durations: sampled.map((i) => durations[i]!),
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
  expect(normalSpeedOf({ at: [], durations: [] })(0)).toBe(false);
});
