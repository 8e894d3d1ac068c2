import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  clockFrom,
  monotonicNow,
  readBeside,
  startClock,
  steadyNow,
  wallClock,
  wallClockNow,
  wallZero,
} from './clock.ts';
import { hostName, thisMachine, uniqueName, weirVersion } from './machine.ts';

/** A reading of one clock lies between two of another, whatever pauses there are. */
const between = (reading: () => number, other: () => number, error: number): void => {
  const before = other();
  const now = reading();
  const after = other();
  expect(now).toBeGreaterThanOrEqual(before - error);
  expect(now).toBeLessThanOrEqual(after + error);
};

describe('the clock of a run', () => {
  it('counts from its start, on the clock that all processes share', () => {
    const from = performance.now();
    between(startClock(0, from).now, () => performance.now() - from, 0.001);
    between(startClock(250, from).now, () => performance.now() - from - 250, 0.001);
    between(startClock().now, () => 0, 1000);
    const clock = startClock(100);
    between(() => clock.now() + clock.machineZero, monotonicNow, 0.5);
    expect(clock.now()).toBeLessThan(clock.read());
  });

  it('is the same in another thread that knows its zero', () => {
    const clock = startClock(-500);
    const other = clockFrom(clock.machineZero);
    expect(other.machineZero).toBe(clock.machineZero);
    between(other.now, clock.now, 0.5);
    expect(other.now()).toBeGreaterThan(499);
  });
});

describe('the time of the day', () => {
  it('is that of the system, once with fractions of a millisecond', () => {
    between(wallClockNow, () => Date.now(), 0);
    // The first reading looks for the instant at which the milliseconds change.
    steadyNow();
    between(steadyNow, () => Date.now(), 5);
    const [one, two] = [steadyNow(), steadyNow()];
    expect(two).toBeGreaterThan(one);
    expect(two - one).toBeLessThan(1000);
  });

  it('is written as ISO 8601, also of a start that is still to come', () => {
    expect(wallClock()).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    between(
      () => Date.parse(wallClock(5000)),
      () => Date.now() + 5000,
      0,
    );
  });
});

it.each<[string, readonly number[]]>([
  ['no', []],
  ['the first three', [0.5, 0.3, 0.2]],
  ['the second and the third', [0, 0.4, 0.4]],
])('the zero of the time of the day is exact where pauses spoil %s readings', (_, pauses) => {
  const zero = 1_000_000.25;
  let [elapsed, ticks, last] = [100, 0, 0];
  const own = vi.spyOn(performance, 'now').mockImplementation(() => (elapsed += 0.001));
  const wall = vi.spyOn(Date, 'now').mockImplementation(() => {
    elapsed += 0.001;
    const now = Math.floor(zero + elapsed);
    // A pause comes after the reading that shows a new millisecond.
    if (now !== last && last !== 0) elapsed += pauses[ticks++] ?? 0;
    last = now;
    return now;
  });
  onTestFinished(() => {
    own.mockRestore();
    wall.mockRestore();
  });
  const found = wallZero();
  expect(found).toBeLessThanOrEqual(zero);
  expect(found).toBeGreaterThan(zero - 0.01);
  expect(ticks).toBe(3 + (pauses[0] === undefined ? 0 : pauses[0] === 0 ? 1 : 2));
});

it('another clock is read beside this one, by the reading that took least', () => {
  let elapsed = 100;
  const own = vi.spyOn(performance, 'now').mockImplementation(() => elapsed);
  onTestFinished(() => own.mockRestore());
  let readings = 0;
  const { time, at } = readBeside(() => {
    readings += 1;
    elapsed += readings === 5 ? 0.25 : 0.5;
    return readings;
  });
  // Four readings of half a millisecond came before it.
  expect([readings > 8, time, at]).toEqual([true, 5, 102.125]);
});

it('this machine and this Weir have names', () => {
  const { node, platform, cpu, cores } = thisMachine();
  expect(node).toBe(process.version);
  expect(platform).toContain(`${process.platform} ${process.arch} `);
  expect([cpu === '', cores > 0, hostName() === '']).toEqual([false, true, false]);
  expect(weirVersion()).toMatch(/^\d+\.\d+\.\d+/);
  expect(uniqueName()).not.toBe(uniqueName());
});
