import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../model/quantity.ts';
import { type GeneratorSample, type Result, resultSchema } from '../../model/result/result.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { lagOver } from '../../model/result/summary.ts';
import type { TrustSignal, TrustLevel } from '../../model/result/verdict.ts';
import {
  sampleFailure,
  healthyResult,
  sampleSecond,
  sampleSeconds,
  sampleJudgedSlice,
} from '../sample-result.fixture.ts';
import { judgeTrust } from './judge-trust.ts';

/** Returns a list in which every `period`-th element is `value` and the others are `otherwise`. */
const every = <T>(period: number, value: T, otherwise: T, length = 40): readonly T[] =>
  Array.from({ length }, (_, i) => (i % period === period - 1 ? value : otherwise));
const repeated = <T>(value: T, length: number): readonly T[] => every(1, value, value, length);

/** Returns the signals that are not `valid`, with their levels. */
const complaints = (result: Result): readonly (readonly [string, TrustLevel])[] =>
  judgeTrust(result)
    .evidence.filter(({ level }) => level !== 'valid')
    .map(({ signal, level }) => [signal, level]);
const evidence = (result: Result, signal: string): TrustSignal | undefined =>
  judgeTrust(result).evidence.find((each) => each.signal === signal);

const generating = (samples: readonly Partial<GeneratorSample>[], lag = 0.3): Result =>
  healthyResult({
    slices: [sampleJudgedSlice(sampleSeconds(samples))],
    lags: repeated(repeated(lag, 40), 30),
  });
/** Returns a run in which a signal was bad in every second. */
const throughout = (differing: Partial<GeneratorSample>, lag?: number): Result =>
  generating(repeated(differing, 30), lag);

describe('the trust in a run', () => {
  it('is valid for a generator with free capacity, and reports the evidence', () => {
    const result = healthyResult();
    expect(resultSchema.parse(result)).toEqual(result);
    const trust = judgeTrust(result);
    expect(trust.level).toBe('valid');
    expect(trust.evidence.map(({ signal, observed }) => `${signal}: ${observed}`))
      .toMatchInlineSnapshot(`
        [
          "start lag: p99 0.3 ms, maximum 0.3 ms, over 1,200 starts",
          "event loop: busy for 20 % on average, 20 % maximum, using 25 % of a core; the first second is not judged: busy for 20 %, using 25 % of a core",
          "event queue: 0.05 events waiting per turn on average, 0.05 maximum; 2,000 turns per second; the first second is not judged: 0.05 events waiting per turn, 2,000 turns",
          "garbage collection: the longest pause took 0.5 ms; the first second is not judged: the longest pause took 0.5 ms",
          "CPU wait: 0.1 % of the time on average, 0.1 % of the worst second; the first second is not judged: 0.1 %",
        ]
      `);
    expect(trust.evidence.map(({ advice }) => advice)).toEqual(trust.evidence.map(() => null));
  });

  it('is as low as its worst deciding signal; the state of the load generator is evidence', () => {
    const both = throughout({ gcMax: 3, utilisation: 0.95, cpu: 0.9 });
    expect(complaints(both)).toEqual([
      ['event loop', 'invalid'],
      ['garbage collection', 'degraded'],
    ]);
    expect(judgeTrust(both).level).toBe('valid');
    expect(judgeTrust(throughout({ gcMax: 3 }, 150)).level).toBe('invalid');
  });

  it('has the observed value, the expected value and advice with every complaint', () => {
    const result = throughout({ gcMax: 30, utilisation: 0.97, cpu: 0.15, cpuWait: 0.8 }, 250);
    expect(judgeTrust(result).evidence.filter(({ advice }) => advice !== null))
      .toMatchInlineSnapshot(`
        [
          {
            "advice": "Run the load generator on its own machine, lower the rate, or use more workers (if cores are idle) or slices.",
            "decides": true,
            "expected": "at most 1 % of the starts later than 100 ms (one always may be); beyond that, the load is not the planned one",
            "level": "invalid",
            "observed": "p99 250 ms, maximum 250 ms, over 1,200 starts; 1,200 later than 100 ms",
            "signal": "start lag",
          },
          {
            "advice": "The load generator waited for the CPU. Stop other programs on its machine, or give its container more CPU.",
            "decides": false,
            "expected": "busy for less than 50 % of each second; above 90 % arrivals are stamped late",
            "level": "invalid",
            "observed": "busy for 97 % on average, 97 % maximum, using 15 % of a core; the first second is not judged: busy for 97 %, using 15 % of a core",
            "signal": "event loop",
          },
          {
            "advice": "Use more workers (if cores are idle) or slices.",
            "decides": false,
            "expected": "pauses up to 2 ms; above 10 ms they are visible in the figures",
            "level": "invalid",
            "observed": "the longest pause took 30 ms; the first second is not judged: the longest pause took 30 ms",
            "signal": "garbage collection",
          },
          {
            "advice": "Stop other programs on the machine, run the target elsewhere, or raise the container’s CPU quota.",
            "decides": false,
            "expected": "less than 1 % of the time, apart from waking up",
            "level": "invalid",
            "observed": "80 % of the time on average, 80 % of the worst second; the first second is not judged: 80 %",
            "signal": "CPU wait",
          },
        ]
      `);
  });
});

describe('the start lag', () => {
  it.each<[string, readonly (readonly number[])[], TrustLevel]>([
    ['p99 of 99 ms', repeated(repeated(99, 40), 30), 'valid'],
    ['p99 of 110 ms', repeated(repeated(110, 40), 30), 'invalid'],
    ['late in one start of forty', repeated(every(40, 110, 0.3), 30), 'invalid'],
    [
      'late in one start of four hundred',
      every(10, every(40, 110, 0.3), repeated(0.3, 40), 30),
      'valid',
    ],
    ['one hiccup among few starts', repeated([110, ...repeated(0.3, 74)], 1), 'valid'],
    ['two late ones of eighty', repeated([110, 110, ...repeated(0.3, 78)], 1), 'invalid'],
    [
      'two late ones of two hundred',
      [[110, 110, ...repeated(0.3, 98)], repeated(0.3, 100)],
      'valid',
    ],
    [
      'many hiccups among few starts',
      repeated([110, 110, 110, 110, 110, 110, ...repeated(0.3, 70)], 1),
      'invalid',
    ],
    [
      'late only in the first second, which is in the figures',
      [repeated(150, 40), ...repeated(repeated(0.3, 40), 29)],
      'invalid',
    ],
    ['late in a first second of few starts', [[150], ...repeated(repeated(0.3, 40), 29)], 'valid'],
    ['late in a run of one second', [repeated(150, 40)], 'invalid'],
    ['nothing begun', [[], []], 'valid'],
  ])('%s', (_, lags, level) => {
    expect(judgeTrust(healthyResult({ lags })).level).toBe(level);
  });

  it('is judged over the measured starts, and advises a warm-up if only the first second was late', () => {
    const late = { lags: [repeated(195, 1000), ...repeated(repeated(0.3, 1000), 4)] };
    expect(evidence(healthyResult(late), 'start lag')).toMatchObject({
      level: 'invalid',
      observed: 'p99 195 ms, maximum 195 ms, over 5,000 starts; 1,000 later than 100 ms',
      advice:
        'Without the first second the starts are on time (p99 0.3 ms after it): in the first second code is compiled and connections are established. Exclude it with a warm-up (--set warmUp=1s).',
    });
    const plan = samplePlan({ warmUp: milliseconds(1000) });
    expect(evidence(healthyResult({ ...late, plan }), 'start lag')).toMatchObject({
      level: 'valid',
      observed: 'p99 0.3 ms, maximum 0.3 ms, over 4,000 starts',
    });
  });

  it('says how many were late, also where so few are no reason', () => {
    const lags = [repeated(150, 40), [...repeated(50, 90), ...repeated(120, 1)]];
    const { observed, advice } = evidence(healthyResult({ lags }), 'start lag')!;
    expect(observed).toBe('p99 150 ms, maximum 150 ms, over 131 starts; 41 later than 100 ms');
    expect(advice).toContain('are on time (p99 120 ms after it; 1 later than 100 ms)');
  });

  it('does not count in the warm-up, which no figure contains', () => {
    const lags = [...repeated(repeated(150, 40), 5), ...repeated(repeated(0.3, 40), 25)];
    const plan = samplePlan({ warmUp: milliseconds(5000) });
    expect(judgeTrust(healthyResult({ lags, plan })).level).toBe('valid');
    expect(judgeTrust(healthyResult({ lags })).level).toBe('invalid');
  });

  it('counts from the first full second after the warm-up, like every other figure', () => {
    const lags = [...repeated(repeated(150, 40), 3), ...repeated(repeated(0.3, 40), 27)];
    const warmed = (warmUp: number): Result =>
      healthyResult({ lags, plan: samplePlan({ warmUp: milliseconds(warmUp) }) });
    expect([2000, 2001, 2999, 3000].map((warmUp) => judgeTrust(warmed(warmUp)).level)).toEqual([
      'invalid',
      'valid',
      'valid',
      'valid',
    ]);
  });

  it('alone invalidates a run whose arrivals pile up', () => {
    fc.assert(
      fc.property(fc.integer({ min: 3, max: 2000 }), (starts) => {
        const late = Math.max(3, Math.ceil(starts / 20));
        const piled = [...repeated(1001, late), ...repeated(0, starts - late)];
        const lags = [[], piled];
        expect(judgeTrust(healthyResult({ lags })).level).toBe('invalid');
      }),
      { numRuns: 50 },
    );
  });
});

describe('the starts of slices', () => {
  it('are judged by the slice with the largest lag, which a sum would hide', () => {
    const slices = [0.3, 0.3, 160].map((lag, index) => {
      const { timeline } = healthyResult({ lags: repeated(repeated(lag, 10), 5) });
      return sampleJudgedSlice([], { index, count: 3, lag: lagOver(timeline).toJSON() });
    });
    const together = healthyResult({ slices, lags: repeated(repeated(0.3, 1000), 5) });
    expect(evidence(together, 'start lag')).toMatchObject({
      level: 'invalid',
      observed: expect.stringMatching(/^slice 2\/3: p99 160 ms/),
    });
    const onTime = healthyResult({ ...together, slices: slices.slice(0, 2) });
    expect(evidence(onTime, 'start lag')).toMatchObject({ level: 'valid' });
  });
});

describe('the generator’s signals', () => {
  it.each<[string, Partial<GeneratorSample>, readonly (readonly [string, TrustLevel])[]]>([
    ['a loop that is busy half of the time', { utilisation: 0.5, cpu: 0.5 }, []],
    ['a busy loop', { utilisation: 0.7, cpu: 0.7 }, [['event loop', 'degraded']]],
    ['a busy loop at the upper mark', { utilisation: 0.9, cpu: 0.9 }, [['event loop', 'degraded']]],
    ['a saturated loop', { utilisation: 0.95, cpu: 0.95 }, [['event loop', 'invalid']]],
    ['a starved loop', { utilisation: 0.95, cpu: 0.15 }, [['event loop', 'invalid']]],
    ['a partly starved loop', { utilisation: 0.6, cpu: 0.2 }, [['event loop', 'degraded']]],
    ['utilisation that CPU does not confirm', { utilisation: 0.6, cpu: 0.4 }, []],
    ['CPU alone: other threads compute', { utilisation: 0.2, cpu: 1.9 }, []],
    ['an idle loop with few iterations', { utilisation: 0.01, loops: 5, eventsWaiting: 0 }, []],
    ['a bursty server', { loops: 500, eventsWaiting: 14_000 }, []],
    ['a long queue without utilisation', { loops: 10, eventsWaiting: 10_000 }, []],
    [
      'a queue with utilisation',
      { utilisation: 0.7, cpu: 0.7, loops: 500, eventsWaiting: 20_000 },
      [
        ['event loop', 'degraded'],
        ['event queue', 'degraded'],
      ],
    ],
    [
      'full saturation: two loop iterations a second',
      { utilisation: 0.99, cpu: 0.99, loops: 2, eventsWaiting: 90_000 },
      [
        ['event loop', 'invalid'],
        ['event queue', 'invalid'],
      ],
    ],
    [
      'a hundred waiting events per loop iteration',
      { utilisation: 0.95, cpu: 0.95, loops: 200, eventsWaiting: 20_000 },
      [
        ['event loop', 'invalid'],
        ['event queue', 'invalid'],
      ],
    ],
    ['short pauses', { gcMax: 2 }, []],
    ['longer pauses', { gcMax: 5 }, [['garbage collection', 'degraded']]],
    ['long pauses', { gcMax: 12 }, [['garbage collection', 'invalid']]],
    ['the wake-ups of a virtual machine', { cpuWait: 0.05, loops: 1900 }, []],
    ['some CPU wait', { cpuWait: 0.03, loops: 100 }, [['CPU wait', 'degraded']]],
    ['much CPU wait', { cpuWait: 0.2 }, [['CPU wait', 'invalid']]],
    ['throttling', { cpuWait: null, throttled: 30, loops: 100 }, [['CPU wait', 'degraded']]],
  ])('%s', (_, differing, expected) => {
    expect(complaints(throughout(differing))).toEqual(expected);
  });

  it('decide nothing by themselves', () => {
    expect(judgeTrust(throughout({ cpuWait: 0.5, gcMax: 30, utilisation: 0.97 })).level).toBe(
      'valid',
    );
  });

  it('omit the CPU wait if the kernel does not report it', () => {
    expect(evidence(throughout({ cpuWait: null, throttled: null }), 'CPU wait')).toBeUndefined();
  });

  const bad: Partial<GeneratorSample> = { gcMax: 12 };
  const poor: Partial<GeneratorSample> = { gcMax: 3 };
  it.each<[string, readonly Partial<GeneratorSample>[], TrustLevel]>([
    ['one poor second is a hiccup', every(30, poor, {}, 30), 'valid'],
    ['two are hiccups', every(15, poor, {}, 30), 'valid'],
    ['three of thirty are not hiccups', every(10, poor, {}, 30), 'degraded'],
    ['three of six hundred are hiccups', every(200, poor, {}, 600), 'valid'],
    ['one of twenty is not a hiccup', every(20, poor, {}, 600), 'degraded'],
    ['one bad second degrades', every(30, bad, {}, 30), 'degraded'],
    ['one bad second of twenty invalidates', every(20, bad, {}, 600), 'invalid'],
    ['a run of two seconds, of which the first is not judged', [{}, bad], 'invalid'],
    ['the first second is not judged', [bad, ...repeated({}, 29)], 'valid'],
  ])('are counted for each second: %s', (_, samples, level) => {
    expect(evidence(generating(samples), 'garbage collection')?.level).toBe(level);
  });

  it('say why a run has a better level than its worst second, and only if it has', () => {
    const observed = (samples: readonly Partial<GeneratorSample>[]) =>
      evidence(generating(samples), 'garbage collection')?.observed;
    expect(observed(every(30, bad, {}, 30))).toContain('took 12 ms (1 of 29 seconds too high)');
    expect(observed(every(10, poor, {}, 30))).not.toContain('seconds');
  });

  it('of a first second that is measured but not judged are reported separately', () => {
    const result = generating([{ ...bad, utilisation: 0.97, cpu: 0.9 }, ...repeated({}, 29)]);
    expect(evidence(result, 'event loop')?.observed).toBe(
      'busy for 20 % on average, 20 % maximum, using 25 % of a core; the first second is not judged: busy for 97 %, using 90 % of a core',
    );
    const warmed = { ...result, plan: samplePlan({ warmUp: milliseconds(1000) }) };
    expect(evidence(warmed, 'event loop')?.observed).not.toContain('first second');
  });

  it('are judged by the worst slice, which is named', () => {
    const healthy = repeated({}, 30);
    const slices = Array.from({ length: 40 }, (_, index) =>
      sampleJudgedSlice(sampleSeconds(index === 7 ? repeated(bad, 30) : healthy), {
        index,
        count: 40,
      }),
    );
    const found = evidence(healthyResult({ slices }), 'garbage collection');
    expect(found?.level).toBe('invalid');
    expect(found?.observed).toBe(
      'slice 7/40: the longest pause took 12 ms; the first second is not judged: the longest pause took 12 ms',
    );
  });

  it('that are missing from a slice are not treated as good', () => {
    const slices = [0, 1].map((index) =>
      sampleJudgedSlice(index === 0 ? [sampleSecond(1)] : [], { index, count: 2 }),
    );
    expect(complaints(healthyResult({ slices }))).toEqual([['generator samples', 'degraded']]);
    const short = { slices: [sampleJudgedSlice([])], scheduled: milliseconds(1050) };
    expect(complaints(healthyResult(short))).toEqual([]);
  });

  it.each([
    [27, 'one a second but for the last and two more', []],
    [26, 'fewer than nine seconds of ten', [['generator samples', 'degraded']]],
  ] as const)('in %i seconds of 29: %s', (sampled, _, expected) => {
    const slices = [sampleJudgedSlice(sampleSeconds(repeated({}, sampled)))];
    expect(complaints(healthyResult({ slices }))).toEqual(expected);
  });

  it('with gaps are reported as seconds that are not verified', () => {
    const gaps = sampleSeconds(repeated({}, 30)).filter(({ second }) => second % 2 === 0);
    expect(
      evidence(healthyResult({ slices: [sampleJudgedSlice(gaps)] }), 'generator samples'),
    ).toEqual({
      signal: 'generator samples',
      decides: true,
      level: 'degraded',
      observed: 'from 15 of 29 seconds',
      expected: 'from at least 90 % of the seconds',
      advice: expect.stringContaining(
        'The state of the load generator in the other seconds is unknown',
      ),
    });
  });

  it('of slices whose users finish at different times end with those users', () => {
    const plan = samplePlan({ warmUp: milliseconds(0) });
    const load = {
      kind: 'iterations' as const,
      users: 2,
      iterations: 10,
      maxDuration: milliseconds(30_000),
      thinkTime: milliseconds(0),
    };
    const slices = [30, 8].map((seconds, index) =>
      sampleJudgedSlice(sampleSeconds(repeated({}, seconds)), { index, count: 2 }),
    );
    const shared = { ...plan, stages: plan.stages.map((stage) => ({ ...stage, load })) };
    expect(complaints(healthyResult({ slices, plan: shared }))).toEqual([]);
    expect(complaints(healthyResult({ slices }))).toEqual([['generator samples', 'degraded']]);
  });
});

describe('the sent load', () => {
  const dropped = (cause: string, count: number) => [sampleFailure({ cause, count })];
  it('is smaller if the cap is reached: the advice names it and does not blame the generator', () => {
    const result = healthyResult({ failures: dropped('saturated', 90) });
    expect(complaints(result)).toEqual([['requests in flight', 'degraded']]);
    const found = evidence(result, 'requests in flight');
    expect(found?.observed).toBe('90 of 1200 arrivals were dropped: 100 requests were in flight');
    expect(found?.advice).toMatch(/not a fault of the load generator\. Raise inFlight/);
  });

  it.each<[string, number, TrustLevel]>([
    ['out-of-sockets', 1, 'degraded'],
    ['out-of-sockets', 13, 'invalid'],
    ['internal', 1, 'degraded'],
  ])('fails on the generator’s side with %s, %i times', (cause, count, level) => {
    const failures = [sampleFailure({ outcome: 'broken', cause, count })];
    expect(judgeTrust(healthyResult({ failures })).level).toBe(level);
  });

  it.each<[string, number, TrustLevel]>([
    ['closed-on-reuse', 12, 'valid'],
    ['closed-on-reuse', 13, 'degraded'],
    ['closed-early', 600, 'valid'],
    ['connect-refused', 600, 'valid'],
  ])('of which %s took %i of 1200 requests is %s', (cause, count, level) => {
    const failures = [sampleFailure({ outcome: 'broken', cause, count })];
    const result = healthyResult({ failures });
    expect(judgeTrust(result).level).toBe(level);
    const found = evidence(result, 'connections');
    if (level === 'valid') expect(found).toBeUndefined();
    else {
      expect(found?.observed).toContain(`${count} of 1200 requests were lost on kept connections`);
      expect(found?.advice).toContain('wire: {reuse: false}');
    }
  });

  it.each([0.4, 1])('of slices that begin %d s apart is one load', (apart) => {
    const slices = [0, apart].map((late, index) =>
      sampleJudgedSlice(sampleSeconds(repeated({}, 30)), {
        index,
        count: 2,
        startedAt: `2026-07-01T10:20:3${late.toFixed(3)}Z`,
      }),
    );
    expect(complaints(healthyResult({ slices }))).toEqual([]);
  });

  it('of slices that begin more than a second apart is not one load, unless they are workers with one clock', () => {
    const slices = ['30.000', '31.001'].map((second, index) =>
      sampleJudgedSlice(sampleSeconds(repeated({}, 30)), {
        index,
        count: 2,
        startedAt: `2026-07-01T10:20:${second}Z`,
      }),
    );
    expect(evidence(healthyResult({ slices }), 'start of the slices')).toMatchObject({
      level: 'degraded',
      observed: '1.001 s apart',
    });
    const workers = slices.map((slice) => ({ ...slice, clock: 'one' }));
    expect(evidence(healthyResult({ slices: workers }), 'start of the slices')).toBeUndefined();
  });
});

describe('a load that saturates the target', () => {
  const { plan } = healthyResult();
  const load = { kind: 'saturate', connections: 10, duration: milliseconds(30_000) } as const;
  const saturating = (result: Result): Result => ({
    ...result,
    plan: { ...plan, stages: [{ ...plan.stages[0]!, load }] },
  });

  it('can use a whole core, delay events and cause garbage collection', () => {
    const full = { utilisation: 1, cpu: 1, loops: 50, eventsWaiting: 9000, gcMax: 30 };
    expect(complaints(throughout(full))).not.toEqual([]);
    expect(complaints(saturating(throughout(full)))).toEqual([]);
    expect(evidence(saturating(throughout(full)), 'event loop')?.expected).toContain(
      'saturates the target',
    );
  });

  it('is judged by its CPU wait, its own lateness and its sockets', () => {
    const starved = saturating(throughout({ utilisation: 1, cpu: 0.4, cpuWait: 0.6 }, 300));
    expect(complaints(starved)).toEqual([
      ['start lag', 'invalid'],
      ['CPU wait', 'invalid'],
    ]);
    const failures = [sampleFailure({ outcome: 'broken', cause: 'out-of-sockets', count: 100 })];
    expect(complaints(saturating(healthyResult({ failures })))).toEqual([['sockets', 'invalid']]);
  });
});

describe('a target', () => {
  const failing = (differing: Parameters<typeof sampleFailure>[0]): Result => {
    const { timeline } = healthyResult();
    return healthyResult({
      timeline: timeline.map((second) => ({
        ...second,
        outcomes: { ...second.outcomes, completed: 0, broken: second.due },
      })),
      failures: [sampleFailure({ count: 1200, ...differing })],
    });
  };

  it.each([
    ['refuses every request', { outcome: 'refused', status: 500, cause: 'saturated' }],
    ['limits every request', { outcome: 'limited', status: 429, cause: 'rate_limit_exceeded' }],
    ['never answers', { outcome: 'broken', cause: 'deadline-first-token' }],
    ['is not there', { outcome: 'broken', cause: 'connect-refused' }],
    ['sends rubbish', { outcome: 'malformed', cause: 'not-json' }],
  ] as const)('that %s is not the generator’s fault', (_, differing) => {
    expect(judgeTrust(failing(differing)).level).toBe('valid');
  });

  it('that answers after minutes is not the generator’s fault', () => {
    expect(judgeTrust(healthyResult({ ended: milliseconds(300_000) })).level).toBe('valid');
  });
});

it('a run that found no end of its warm-up is degraded, and says of which time its figures are', () => {
  const found = { end: milliseconds(10_000), measures: ['endToEnd' as const], excluded: 400 };
  const trustIf = (isSteady: boolean) =>
    judgeTrust(healthyResult({ warmUp: { ...found, isSteady } }));
  expect(trustIf(true).level).toBe('valid');
  const { level, evidence: seen } = trustIf(false);
  expect(level).toBe('degraded');
  expect(seen.find(({ signal }) => signal === 'warm-up')).toMatchObject({
    observed: 'no end found: the answers still changed after 10 s of 30 s',
    advice: expect.stringContaining('approximate'),
  });
});
