import { afterEach, expect, it, vi } from 'vitest';
import { type Instant, instant } from '../../model/quantity.ts';
import { startClock } from './clock.ts';

/** Alarms and intervals of a clock whose time, timers and turns of the event loop a test moves. */

interface Timer {
  readonly run: () => void;
  readonly ms: number;
}

const world = () => {
  let elapsed = 1000;
  const timers = new Set<Timer>();
  const intervals = new Set<Timer>();
  const immediates: (() => void)[] = [];
  const naps: number[] = [];
  const adding =
    (to: Set<Timer>) =>
    (run: () => void, ms: number): Timer => {
      const timer = { run, ms };
      to.add(timer);
      return timer;
    };
  const fake = (
    name: 'setTimeout' | 'clearTimeout' | 'setInterval' | 'clearInterval' | 'setImmediate',
    work: unknown,
  ): void => void vi.spyOn(globalThis, name).mockImplementation(work as never);
  fake('setTimeout', adding(timers));
  fake('setInterval', adding(intervals));
  fake('clearTimeout', (timer: Timer) => timers.delete(timer));
  fake('clearInterval', (timer: Timer) => intervals.delete(timer));
  fake('setImmediate', (run: () => void) => immediates.push(run));
  vi.spyOn(performance, 'now').mockImplementation(() => elapsed);
  vi.spyOn(process.hrtime, 'bigint').mockImplementation(() => BigInt(elapsed * 1e6));
  vi.spyOn(Atomics, 'wait').mockImplementation((...[, , , ms = 0]) => {
    naps.push(Math.round(ms * 1000) / 1000);
    return 'timed-out';
  });
  const clock = startClock();
  let rings = 0;
  const alarm = clock.alarm(() => (rings += 1));
  return {
    clock,
    alarm,
    naps,
    timers: () => [...timers].map(({ ms }) => ms),
    intervals: () => [...intervals].map(({ ms }) => ms),
    waiting: () => immediates.length,
    rings: () => rings,
    set: (at: number) => alarm.set(instant(at)),
    moveTo: (at: number): Instant => {
      elapsed = 1000 + at;
      return instant(at);
    },
    runTimers: (): void => {
      // A timer that one of them sets runs another time.
      const due = [...timers];
      timers.clear();
      for (const { run } of due) run();
    },
    runIntervals: (): void => {
      for (const { run } of intervals) run();
    },
    turn: (): void => {
      for (const run of immediates.splice(0)) run();
    },
  };
};

/** A world whose alarm has rung at the instant 50. */
const rung = (): ReturnType<typeof world> => {
  const each = world();
  each.set(50);
  each.moveTo(50);
  each.runTimers();
  expect(each.rings()).toBe(1);
  return each;
};

afterEach(() => {
  vi.restoreAllMocks();
});

it('an alarm has one timer, which ends at least a millisecond before it', () => {
  const { alarm, set, timers } = world();
  set(100);
  expect(timers()).toEqual([98]);
  set(200);
  set(99.5);
  expect(timers()).toEqual([98]);
  set(50);
  expect(timers()).toEqual([48]);
  alarm.set(null);
  expect(timers()).toEqual([48]);
  alarm.stop();
  expect(timers()).toEqual([]);
  set(50);
  expect(timers()).toEqual([48]);
});

it('an alarm that is stopped or taken back does not ring', () => {
  const { alarm, clock, set, timers, rings, moveTo, runTimers } = world();
  set(10);
  alarm.set(null);
  clock.ringIfLate(moveTo(60));
  runTimers();
  set(100);
  alarm.stop();
  clock.ringIfLate(moveTo(200));
  expect([timers(), rings()]).toEqual([[], 0]);
});

it('a far alarm has a timer of at most an hour', () => {
  const { set, timers, moveTo, runTimers, rings } = world();
  set(5_000_000);
  expect(timers()).toEqual([3_600_000]);
  moveTo(3_600_000);
  runTimers();
  expect([timers(), rings()]).toEqual([[1_399_998], 0]);
});

it('a timer that ends too early is followed by one of at least a millisecond, then by naps', () => {
  const { set, timers, moveTo, runTimers, waiting, turn, naps, rings } = world();
  set(50);
  moveTo(48);
  runTimers();
  expect([timers(), waiting()]).toEqual([[1], 0]);
  moveTo(49);
  runTimers();
  expect([timers(), waiting(), rings()]).toEqual([[], 1, 0]);
  turn();
  expect([naps, waiting()]).toEqual([[], 1]);
  turn();
  expect([naps, waiting()]).toEqual([[0.25], 1]);
  moveTo(50);
  turn();
  expect([naps, waiting(), rings()]).toEqual([[0.25], 0, 1]);
});

it.each([
  [1.2, [0.25]],
  [0.2, [0.17]],
  [0.06, []],
])('an alarm in %f ms has no timer, but naps', (delay, expected) => {
  const { set, timers, waiting, turn, naps, rings } = world();
  set(delay);
  expect([timers(), waiting()]).toEqual([[], 1]);
  turn();
  turn();
  expect([naps, waiting(), rings()]).toEqual([expected, 1, 0]);
});

it('an alarm that is moved during its naps begins no second ones, and may be far again', () => {
  const { alarm, set, timers, waiting, turn } = world();
  set(1);
  set(0.5);
  expect(waiting()).toBe(1);
  set(30);
  turn();
  turn();
  expect([timers(), waiting()]).toEqual([[28], 0]);
  alarm.stop();
  set(1);
  turn();
  alarm.stop();
  turn();
  expect([timers(), waiting()]).toEqual([[], 0]);
});

it.each([
  [53, [3], 0],
  [54.75, [4], 0],
  [55, [3], 0],
  [50.5, [1], 0],
  [50, [], 1],
])('after a ring at 50, an alarm at %f has these timers and naps', (at, expected, naps) => {
  const { set, timers, waiting } = rung();
  set(at);
  expect([timers(), waiting()]).toEqual([expected, naps]);
});

it('an alarm rings at a read only if it is more than four milliseconds late, and once', () => {
  const { clock, set, moveTo, runTimers, rings } = world();
  set(10);
  clock.ringIfLate(moveTo(14));
  expect(rings()).toBe(0);
  clock.ringIfLate(moveTo(14.5));
  expect(rings()).toBe(1);
  clock.ringIfLate(moveTo(30));
  runTimers();
  expect(rings()).toBe(1);
});

it('an interval lasts as long as one of its functions, each of which is called for itself', () => {
  const { clock, intervals, runIntervals } = world();
  let calls = 0;
  const call = (): void => void (calls += 1);
  const [one, other] = [clock.every(7001, call), clock.every(7001, call)];
  expect(intervals()).toEqual([7001]);
  runIntervals();
  expect(calls).toBe(2);
  one();
  one();
  runIntervals();
  expect([calls, intervals()]).toEqual([3, [7001]]);
  other();
  other();
  expect(intervals()).toEqual([]);
  const again = clock.every(7001, call);
  expect(intervals()).toEqual([7001]);
  again();
  expect(intervals()).toEqual([]);
});

it('work after the reads waits for the end of the turn', () => {
  const { clock, turn } = world();
  let isDone = false;
  clock.afterReads(() => (isDone = true));
  expect(isDone).toBe(false);
  turn();
  expect(isDone).toBe(true);
});

it('a read has the present instant', () => {
  const { clock, moveTo, turn } = world();
  moveTo(12);
  expect([clock.read(), clock.now(), clock.machineZero]).toEqual([12, 12, 1000]);
  turn();
});
