import { expect, it } from 'vitest';
import { timerLateness } from './timer-lateness.ts';

const ms = 1e6;

it('a late timer stands for as many instants as its interval is long', () => {
  // 50 timers of 10 ms, and one of 490 ms, in which nearly half of all instants are.
  const percentiles = new Map([
    [0, 10 * ms],
    [50, 10 * ms],
    [96.875, 10 * ms],
    [98.4375, 490 * ms],
    [100, 490 * ms],
  ]);
  const intervals = { count: 51, mean: (990 / 51) * ms, percentiles };
  expect(timerLateness(intervals, 10)).toEqual({ p50: 0, p90: 480, p99: 480 });
  // With one of 510 ms it is more than half.
  const longer = new Map(
    [...percentiles].map(([at, length]) => [at, length > 99 * ms ? 510 * ms : length]),
  );
  expect(timerLateness({ count: 51, mean: (1010 / 51) * ms, percentiles: longer }, 10)).toEqual({
    p50: 500,
    p90: 500,
    p99: 500,
  });
});

it('lateness is in thousandths of a ms, never negative, and unknown without timers', () => {
  const all = (length: number) => ({
    count: 4,
    mean: length * ms,
    percentiles: new Map([[100, length * ms]]),
  });
  expect(timerLateness(all(10.1234), 10)).toEqual({ p50: 0.123, p90: 0.123, p99: 0.123 });
  expect(timerLateness(all(9.9), 10)).toEqual({ p50: 0, p90: 0, p99: 0 });
  expect(timerLateness({ count: 0, mean: 0, percentiles: new Map() }, 10)).toBeNull();
});
