import type { Group, Labels, TimelineSecond } from '../measures/counts.ts';
import { describe, expect, it } from 'vitest';
import { type Digits, emptyHistogram, type EncodedHistogram } from '../measures/histogram.ts';
import type { MeasureName } from '../measures/measures.ts';
import type { Plan } from '../plan/plan.ts';
import { planHash } from '../plan/plan-hash.ts';
import { milliseconds } from '../quantity.ts';
import type { Result, SliceRun } from './result.ts';
import { samplePlan } from '../plan/sample-plan.fixture.ts';
import {
  countArrivals,
  emptyOutcomeCounts,
  emptySecond,
  sumOutcomes,
} from '../measures/outcome-counts.ts';
import {
  distributionOf,
  groupsMatching,
  lagOver,
  latencyOver,
  outsideWarmUp,
  firstMeasuredSecond,
  measuredWindow,
  measuresPresent,
  missingSlices,
} from './summary.ts';

const encoded = (values: readonly number[], digits: Digits = 3): EncodedHistogram => {
  const histogram = emptyHistogram(digits);
  for (const value of values) histogram.record(value);
  return histogram.toJSON();
};

const groupWith = (
  labels: Partial<Labels>,
  completed: number,
  samples: Partial<Record<MeasureName, readonly number[]>>,
): Group => ({
  labels: {
    traffic: 'chat-stream',
    model: 'publisher/model-8b',
    key: 'main',
    stage: 'steady',
    warmUp: false,
    ...labels,
  },
  outcomes: { ...emptyOutcomeCounts(), completed, limited: 1 },
  sent: completed,
  attempts: completed,
  retried: 0,
  gaveUp: {},
  tokens: [],
  buffered: 0,
  coalescedEvents: 0,
  tokenEvents: 0,
  connections: { new: 0, reused: completed },
  notes: {},
  distributions: Object.fromEntries(
    Object.entries(samples).map(([measure, values]) => [measure, encoded(values)]),
  ),
});

const plan = samplePlan();
const result: Result = {
  format: 'result/1',
  weir: '0.1.0',
  runId: 'run',
  plan,
  planHash: planHash(plan),
  baseUrl: 'http://127.0.0.1:8080/v1',
  startedAt: '2026-07-01T10:20:30.000Z',
  slices: [],
  scheduled: milliseconds(25_000),
  ended: milliseconds(26_000),
  partial: null,
  notes: [],
  groups: [
    groupWith({ warmUp: true }, 1, { ttft: [900], connect: [3] }),
    groupWith({}, 2, { ttft: [100, 200], gap: [20] }),
    groupWith({ key: 'spare' }, 1, { ttft: [300], stall: [] }),
  ],
  timeline: [],
  failures: [],
  ledger: [],
  gatewayCounters: null,
};

describe('reading a result', () => {
  it('sums a measure’s distributions over the requested groups', () => {
    const all = distributionOf(result, 'ttft', outsideWarmUp);
    expect([all.count, all.min, all.max, all.sum]).toEqual([3, 100, 300, 600]);
    expect(distributionOf(result, 'ttft', ({ key }) => key === 'spare').count).toBe(1);
    expect(distributionOf(result, 'tpot', outsideWarmUp).count).toBe(0);
  });

  it('excludes the warm-up from the measured window', () => {
    expect(groupsMatching(result, outsideWarmUp)).toHaveLength(2);
    expect(groupsMatching(result, ({ warmUp }) => warmUp)).toHaveLength(1);
  });

  it('names the measures that have samples, in the order of their table', () => {
    expect(measuresPresent(result, outsideWarmUp)).toEqual(['ttft', 'gap']);
    expect(measuresPresent(result, () => true)).toEqual(['ttft', 'gap', 'connect']);
  });

  it('counts every arrival, failures included', () => {
    const outcomes = sumOutcomes(groupsMatching(result, outsideWarmUp));
    expect(outcomes).toEqual({ ...emptyOutcomeCounts(), completed: 3, limited: 2 });
    expect(countArrivals(outcomes)).toBe(5);
    expect(countArrivals(sumOutcomes([]))).toBe(0);
  });
});

const second = (n: number, latency: TimelineSecond['latency']): TimelineSecond => ({
  ...emptySecond(n),
  latency,
});

describe('the measured window', () => {
  const lasting = (warmUp: number, scheduled: number): Result => ({
    ...result,
    plan: samplePlan({ warmUp: milliseconds(warmUp) }),
    scheduled: milliseconds(scheduled),
    timeline: Array.from({ length: 30 }, (_, n) => second(n, {})),
  });

  it.each([
    [0, 25_000, 0, 24],
    [2000, 25_000, 2, 24],
    [2001, 25_000, 3, 24],
    [2999, 24_999, 3, 23],
    [2000, 3000, 2, 2],
  ])(
    'with a warm-up of %i ms and a load of %i ms goes from second %i to second %i',
    (warmUp, scheduled, first, last) => {
      const window = measuredWindow(lasting(warmUp, scheduled));
      expect(window?.seconds).toBe(last - first + 1);
      expect(window?.timeline.map((each) => each.second)).toEqual(
        Array.from({ length: last - first + 1 }, (_, i) => first + i),
      );
      expect(firstMeasuredSecond(lasting(warmUp, scheduled))).toBe(first);
    },
  );

  it('is as long as the load, even if nothing happens in its last seconds', () => {
    expect(measuredWindow({ ...lasting(0, 25_000), timeline: [] })).toEqual({
      seconds: 25,
      timeline: [],
    });
  });

  it.each([
    [0, 999],
    [60_000, 25_000],
    [1500, 2999],
  ])('with a warm-up of %i ms and a load of %i ms does not exist', (warmUp, scheduled) => {
    expect(measuredWindow(lasting(warmUp, scheduled))).toBeNull();
  });

  const numbered = (ended: number): Result => {
    const load = {
      kind: 'iterations' as const,
      users: 2000,
      iterations: 2000,
      maxDuration: milliseconds(60_000),
      thinkTime: milliseconds(0),
      rampUp: milliseconds(0),
    };
    const lasted = lasting(0, 3600);
    const stages = lasted.plan.stages.map((stage) => ({ ...stage, load }));
    return { ...lasted, plan: { ...lasted.plan, stages }, ended: milliseconds(ended) };
  };

  it('of a number of requests lasts until the last answer', () => {
    const window = measuredWindow(numbered(3580))!;
    expect(window.seconds).toBe(3.6);
    expect(window.timeline.map((each) => each.second)).toEqual([0, 1, 2, 3]);
  });

  it.each([
    [1000, 3.6],
    [70_000, 3],
  ])(
    'of populations lasts until the last answer if a number of requests ends last: beside a load of %i ms %d s',
    (duration, seconds) => {
      const run = numbered(3580);
      const [own] = run.plan.stages;
      const population = (name: string) => ({
        name,
        after: milliseconds(0),
        keys: [{ name: 'default', weight: 1 }],
        retry: null,
      });
      const load = { ...own!.load, kind: 'closed' as const, duration: milliseconds(duration) };
      const stages = [
        { ...own!, population: 'numbered' },
        { ...own!, load, population: 'timed' },
      ];
      const populations = [population('numbered'), population('timed')];
      const populated = { ...run.plan, stages, populations } as Plan;
      expect(measuredWindow({ ...run, plan: populated })!.seconds).toBe(seconds);
    },
  );

  it('of a number of requests has whole seconds if the time for them ran out', () => {
    expect(measuredWindow(numbered(4100))!.seconds).toBe(3);
  });
});

describe('reading a timeline', () => {
  const seconds = [
    second(0, {
      chat: { endToEnd: encoded([1400], 2), lag: encoded([1], 2) },
      models: { endToEnd: encoded([2], 2), lag: encoded([2], 2) },
    }),
    second(1, {}),
    second(2, { chat: { endToEnd: encoded([1300], 2), lag: encoded([3], 2) } }),
  ];

  it('sums a latency over seconds, never over kinds of traffic', () => {
    const chats = latencyOver(seconds, 'chat', 'endToEnd');
    expect([chats.count, chats.min, chats.max, chats.digits]).toEqual([2, 1300, 1400, 2]);
    expect(latencyOver(seconds, 'models', 'endToEnd').max).toBe(2);
    expect(latencyOver(seconds, 'chat-stream', 'endToEnd').count).toBe(0);
  });

  it('also sums the lag over kinds, since it belongs to the generator', () => {
    const { count, sum } = lagOver(seconds);
    expect([count, sum]).toEqual([3, 6]);
  });
});

describe('missing slices', () => {
  it.each([
    [1, [0], []],
    [3, [0, 1, 2], []],
    [3, [1], [0, 2]],
    [4, [0, 3], [1, 2]],
  ])('of %i, where %j reported, are %j', (count, present, missing) => {
    const slices = present.map((index): SliceRun => ({
      index,
      count,
      startedAt: result.startedAt,
      baseUrl: result.baseUrl,
      machine: { node: 'v24.0.0', platform: 'linux', cpu: 'a processor', cores: 2 },
      generator: [],
    }));
    expect(missingSlices({ ...result, slices })).toEqual(missing);
  });
});
