import { describe, expect, it } from 'vitest';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { milliseconds } from '../../model/quantity.ts';
import type { GeneratorSample } from '../../model/result/result.ts';
import { healthyResult, sampleJudgedSlice, sampleSeconds } from '../sample-result.fixture.ts';
import { generatorSignals, judgedSeconds, worstOf } from './generator-signals.ts';

/** Each signal at its bounds. */

const signalOf = (signal: string, ...seconds: readonly Partial<GeneratorSample>[]) =>
  generatorSignals(
    healthyResult({ slices: [sampleJudgedSlice(sampleSeconds([{}, ...seconds]))] }),
  ).find((each) => each.signal === signal);
const levelOf = (signal: string, second: Partial<GeneratorSample>) =>
  signalOf(signal, second, second, second)?.level;

it.each([
  [0.5, 0.9, 'valid'],
  [0.51, 0.9, 'degraded'],
  [0.9, 0.9, 'degraded'],
  [0.91, 0.1, 'invalid'],
  // Between the marks it must use half a core, or wait for one.
  [0.8, 0.5, 'degraded'],
  [0.8, 0.49, 'valid'],
  [0.8, 0.4, 'valid'],
  [0.8, 0.39, 'degraded'],
] as const)(
  'an event loop that is busy for %f with %f of a core is %s',
  (utilisation, cpu, level) => {
    expect(levelOf('event loop', { utilisation, cpu })).toBe(level);
  },
);

it.each([
  [0.91, 100, 9999, 'degraded'],
  [0.91, 100, 10_000, 'invalid'],
  [0.91, 100, 0, 'valid'],
  [0.91, 99, 0, 'invalid'],
  [0.9, 99, 0, 'valid'],
  [0.9, 10, 9000, 'degraded'],
  [0.51, 100, 3000, 'degraded'],
  [0.51, 100, 2999, 'valid'],
  [0.5, 100, 3000, 'valid'],
  // Without a turn of the loop, all events wait for one.
  [0.51, 0, 30, 'degraded'],
] as const)(
  'a loop that is busy for %f, with %i turns and %i events that wait, has a queue that is %s',
  (utilisation, loops, eventsWaiting, level) => {
    expect(levelOf('event queue', { utilisation, loops, eventsWaiting })).toBe(level);
  },
);

it.each([
  [2, 'valid'],
  [2.1, 'degraded'],
  [10, 'degraded'],
  [10.1, 'invalid'],
] as const)('a pause of %f ms for garbage is %s', (gcMax, level) => {
  expect(levelOf('garbage collection', { gcMax })).toBe(level);
});

describe('the wait for a CPU', () => {
  const level = (second: Partial<GeneratorSample>) => levelOf('CPU wait', second);

  it('is judged apart from 50 µs for each turn of the loop, in which it wakes up', () => {
    // 1,000 turns may wake up for 5 % of a second.
    expect(level({ cpuWait: 0.06, loops: 1000 })).toBe('valid');
    expect(level({ cpuWait: 0.061, loops: 1000 })).toBe('degraded');
    expect(level({ cpuWait: 0.099, loops: 1000 })).toBe('degraded');
    expect(level({ cpuWait: 0.101, loops: 1000 })).toBe('invalid');
    expect(level({ cpuWait: 0.0101, loops: 0 })).toBe('degraded');
  });

  it('takes the time to wake up from the second in which it was shortest', () => {
    const seconds = [0.01, 0.05, 0.05].map((cpuWait) => ({ cpuWait, loops: 1000 }));
    expect(signalOf('CPU wait', ...seconds)).toMatchObject({
      level: 'degraded',
      observed: expect.stringMatching(/^3\.7 % of the time on average, 5 % of the worst second/),
    });
  });

  it('is the larger one of what the kernel and the cgroup report, and at most all of it', () => {
    expect(level({ cpuWait: 0, throttled: 30, loops: 1 })).toBe('degraded');
    expect(level({ cpuWait: 0.2, throttled: 1, loops: 1 })).toBe('invalid');
    expect(level({ cpuWait: 0.02, throttled: null, loops: 1 })).toBe('degraded');
    expect(signalOf('CPU wait', { throttled: 1500 })?.observed).toMatch(/^100 % of the time/);
  });

  it('is judged by the seconds that report it', () => {
    const silent = { cpuWait: null, throttled: null };
    const seconds = [silent, silent, silent, { cpuWait: 0.03, throttled: null, loops: 1 }];
    expect(signalOf('CPU wait', ...seconds)?.level).toBe('degraded');
  });
});

describe('what a signal says', () => {
  it('is of the worst slice, by its name, with what to do', () => {
    const slices = [{ gcMax: 1 }, { gcMax: 30 }, { gcMax: 4 }].map((second, index) =>
      sampleJudgedSlice(sampleSeconds([second, second, second, second]), { index, count: 3 }),
    );
    const found = generatorSignals(healthyResult({ slices }));
    expect(found.find(({ signal }) => signal === 'garbage collection')).toMatchObject({
      decides: false,
      level: 'invalid',
      observed: expect.stringMatching(/^slice 1\/3: the longest pause took 30 ms/),
      advice: 'Use more workers (if cores are idle) or slices.',
    });
  });

  it('names the CPU if each bad second waited for one, and else the work', () => {
    const waiting = { utilisation: 0.95, cpu: 0.2 };
    const working = { utilisation: 0.95, cpu: 0.9 };
    const adviceOf = (...seconds: readonly Partial<GeneratorSample>[]) =>
      signalOf('event loop', ...seconds)?.advice;
    expect(adviceOf(waiting, waiting, {})).toMatch(/^The load generator waited for the CPU\./);
    expect(adviceOf(waiting, working, {})).toMatch(/^Use more workers/);
    expect(signalOf('event loop', {})?.advice).toBeNull();
  });

  it('has averages over all judged seconds', () => {
    const seconds = [
      { utilisation: 0.1, cpu: 0.1, loops: 100, eventsWaiting: 100 },
      { utilisation: 0.3, cpu: 0.4, loops: 300, eventsWaiting: 900 },
    ];
    expect(signalOf('event loop', ...seconds)?.observed).toMatch(
      /^busy for 20 % on average, 30 % maximum, using 25 % of a core; the first/,
    );
    expect(signalOf('event queue', ...seconds)?.observed).toMatch(
      /^2 events waiting per turn on average, 3 maximum; 200 turns per second; the first/,
    );
  });

  it('is nothing without a second that was measured', () => {
    expect(generatorSignals(healthyResult({ slices: [sampleJudgedSlice([])] }))).toEqual([]);
  });
});

it('the first second of a run is not judged unless it is the only one', () => {
  const plan = samplePlan({ warmUp: milliseconds(0) });
  const of = (count: number, warmUp = 0) => {
    const seconds = Array.from({ length: count }, (_, second) => ({ second }));
    const result = healthyResult({ plan: { ...plan, warmUp: milliseconds(warmUp) } });
    const { judged, unjudged } = judgedSeconds(result, seconds);
    return [judged.map(({ second }) => second), unjudged?.second ?? null];
  };
  expect(of(3)).toEqual([[1, 2], 0]);
  expect(of(2)).toEqual([[1], 0]);
  expect(of(1)).toEqual([[0], null]);
  expect(of(4, 2000)).toEqual([[2, 3], null]);
  expect(of(0)).toEqual([[], null]);
});

it('the worst of some levels', () => {
  expect(worstOf([])).toBe('valid');
  expect(worstOf(['valid', 'degraded', 'valid'])).toBe('degraded');
  expect(worstOf(['degraded', 'invalid', 'valid'])).toBe('invalid');
});
