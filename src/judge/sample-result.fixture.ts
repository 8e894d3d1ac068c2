import type { TimelineSecond } from '../model/measures/counts.ts';
import { emptyHistogram, type EncodedHistogram } from '../model/measures/histogram.ts';
import { planHash } from '../model/plan/plan-hash.ts';
import { instant, milliseconds } from '../model/quantity.ts';
import type { Failure, GeneratorSample, Result, SliceRun } from '../model/result/result.ts';
import { samplePlan } from '../model/plan/sample-plan.fixture.ts';
import { emptyOutcomeCounts, emptySecond } from '../model/measures/outcome-counts.ts';

/** One second of a generator that is not under strain. Any signal can be overridden. */
export const sampleSecond = (
  second: number,
  overrides: Partial<GeneratorSample> = {},
): GeneratorSample => ({
  second,
  utilisation: 0.2,
  delayP99: 0.1,
  delayMax: 0.4,
  loops: 2000,
  events: 2000,
  eventsWaiting: 100,
  gcMax: 0.5,
  gcTotal: 1,
  cpu: 0.25,
  cpuWait: 0.001,
  throttled: 0,
  memory: 80_000_000,
  ...overrides,
});

/** The samples of a run. Each has these differences from a generator that is not under strain. */
export const sampleSeconds = (
  overrides: readonly Partial<GeneratorSample>[],
): readonly GeneratorSample[] => overrides.map((each, second) => sampleSecond(second, each));

export const sampleJudgedSlice = (
  generator: readonly GeneratorSample[],
  overrides: Partial<SliceRun> = {},
): SliceRun => ({
  index: 0,
  count: 1,
  startedAt: '2026-07-01T10:20:30.000Z',
  baseUrl: 'http://127.0.0.1:8080/v1',
  machine: { node: 'v24.0.0', platform: 'linux', cpu: 'a processor', cores: 2 },
  generator: [...generator],
  ...overrides,
});

const encoded = new Map<string, EncodedHistogram>();

/** Seconds of a sample mostly share the same samples. */
const distributionOf = (samples: readonly number[]): EncodedHistogram => {
  const key = samples.join(' ');
  const known = encoded.get(key);
  if (known !== undefined) return known;
  const histogram = emptyHistogram(2);
  for (const sample of samples) histogram.record(sample);
  const distribution = histogram.toJSON();
  encoded.set(key, distribution);
  return distribution;
};

/** A second with these lags. Requests of two kinds take turns to be due and to begin in it. */
const secondWith = (second: number, lags: readonly number[]): TimelineSecond => {
  const kinds = ['chat', 'models'] as const;
  const byKind = kinds.flatMap((kind, turn) => {
    const own = lags.filter((_, i) => i % kinds.length === turn);
    return own.length === 0 ? [] : [[kind, { lag: distributionOf(own) }] as const];
  });
  const count = lags.length;
  return {
    ...emptySecond(second),
    due: count,
    begun: count,
    sent: count,
    ended: count,
    outcomes: { ...emptyOutcomeCounts(), completed: count },
    latency: Object.fromEntries(byKind),
  };
};

/** A group of requests, each sent once and without notes. Any field can be overridden. */
/** The labels of streamed chats in the only stage of a plan. */
export const streamLabels: Result['groups'][number]['labels'] = {
  traffic: 'chat-stream',
  model: 'm',
  key: 'main',
  stage: 'steady',
  warmUp: false,
};

export const sampleGroup = (
  sent: number,
  overrides: Partial<Result['groups'][number]> = {},
): Result['groups'][number] => ({
  labels: { traffic: 'chat', model: 'm', key: 'main', stage: 'steady', warmUp: false },
  outcomes: { ...emptyOutcomeCounts(), completed: sent },
  sent,
  attempts: sent,
  retried: 0,
  gaveUp: {},
  tokens: [],
  notes: {},
  buffered: 0,
  coalescedEvents: 0,
  tokenEvents: 0,
  distributions: {},
  connections: { new: 0, reused: 0 },
  ...overrides,
});

export const sampleFailure = (overrides: Partial<Failure>): Failure => ({
  traffic: 'chat',
  outcome: 'dropped',
  status: null,
  cause: 'saturated',
  message: 'the cap on requests in flight was reached',
  sameText: true,
  count: 1,
  first: instant(1000),
  last: instant(1000),
  example: { requestId: 'run-0-1', serverId: null, text: '' },
  ...overrides,
});

/**
 * A result of 30 healthy seconds with 40 requests a second. Each second has these lags. Any field can be overridden.
 */
export const healthyResult = ({
  lags = Array.from({ length: 30 }, () => Array.from({ length: 40 }, () => 0.3)),
  ...overrides
}: Partial<Result> & { readonly lags?: readonly (readonly number[])[] } = {}): Result => {
  const plan = samplePlan({ warmUp: milliseconds(0) });
  return {
    format: 'result/1',
    weir: '0.1.0',
    runId: 'run',
    plan,
    planHash: planHash(plan),
    baseUrl: 'http://127.0.0.1:8080/v1',
    startedAt: '2026-07-01T10:20:30.000Z',
    slices: [sampleJudgedSlice(sampleSeconds(Array.from({ length: 30 }, () => ({}))))],
    scheduled: milliseconds(30_000),
    ended: milliseconds(30_500),
    partial: null,
    notes: [],
    groups: [],
    timeline: lags.map((each, second) => secondWith(second, each)),
    failures: [],
    ledger: [],
    gatewayCounters: null,
    ...overrides,
  };
};
