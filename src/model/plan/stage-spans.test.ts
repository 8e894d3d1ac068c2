import { describe, expect, it } from 'vitest';
import { milliseconds } from '../quantity.ts';
import type { Plan } from './plan.ts';
import { samplePlan } from './sample-plan.fixture.ts';
import { fleetForecast } from './slice-forecast.ts';
import { endsWithAnswers, ratedSeconds, stageSpans } from './stage-spans.ts';

const [sample] = samplePlan().stages;
type Stage = Plan['stages'][number];
const lasting = (name: string, seconds: number, population?: string): Stage => ({
  ...sample!,
  name,
  load: {
    kind: 'saturate',
    connections: 1,
    duration: milliseconds(seconds * 1000),
  },
  ...(population === undefined ? {} : { population }),
});
const answered = (name: string, seconds: number): Stage => ({
  ...sample!,
  name,
  load: {
    kind: 'iterations',
    users: 1,
    iterations: 5,
    thinkTime: milliseconds(0),
    maxDuration: milliseconds(seconds * 1000),
  },
});
const planOf = (stages: readonly Stage[], differing: Partial<Plan> = {}): Plan =>
  samplePlan({ stages: [...stages], ...differing });
const spans = (plan: Plan) => stageSpans(plan).map(({ name, from, to }) => [name, from, to]);

describe('the spans of stages', () => {
  it('follow each other, or the earlier stages of the same population', () => {
    expect(spans(planOf([lasting('a', 2), lasting('b', 3)]))).toEqual([
      ['a', 0, 2000],
      ['b', 2000, 5000],
    ]);
    const keys = [{ name: 'main', weight: 1 }];
    const populations = [
      { name: 'p', after: milliseconds(0), keys, retry: null },
      { name: 'q', after: milliseconds(7000), keys, retry: null },
    ];
    const stages = [
      lasting('a', 2, 'p'),
      lasting('b', 3, 'q'),
      lasting('c', 4, 'p'),
      lasting('d', 1, 'q'),
    ];
    expect(spans(planOf(stages, { populations }))).toEqual([
      ['a', 0, 2000],
      ['b', 7000, 10_000],
      ['c', 2000, 6000],
      ['d', 10_000, 11_000],
    ]);
  });

  it('may end with answers if the last of them are numbers of requests', () => {
    expect(endsWithAnswers(planOf([lasting('a', 2), answered('b', 3)]))).toBe(true);
    expect(endsWithAnswers(planOf([answered('a', 2), lasting('b', 3)]))).toBe(false);
    expect(endsWithAnswers(planOf([lasting('a', 2)]))).toBe(false);
  });
});

describe('the seconds that count', () => {
  const plan = planOf([lasting('a', 2), lasting('b', 3), lasting('c', 1)], {
    warmUp: milliseconds(1500),
  });

  it('are whole, after the warm-up and before the end', () => {
    expect(ratedSeconds(plan, 5900, null)).toEqual([2, 3, 4]);
    expect(ratedSeconds(plan, 6000, null)).toEqual([2, 3, 4, 5]);
    expect(ratedSeconds(plan, 1000, null)).toEqual([]);
    expect(ratedSeconds({ ...plan, warmUp: milliseconds(1000) }, 3000, null)).toEqual([1, 2]);
  });

  it('of stages lie whole within these', () => {
    expect(ratedSeconds(plan, 6000, ['b'])).toEqual([2, 3, 4]);
    expect(ratedSeconds(plan, 6000, ['a', 'c'])).toEqual([5]);
    const odd = planOf([lasting('a', 1.5), lasting('b', 2)], { warmUp: milliseconds(0) });
    expect(ratedSeconds(odd, 3500, ['b'])).toEqual([2]);
    expect(ratedSeconds(odd, 3500, ['a'])).toEqual([0]);
  });
});

it('a fleet needs what all its slices need, and a merge what all results need', () => {
  const slice = {
    slices: 4,
    streams: 1,
    sockets: 7058,
    cores: 1.5,
    memory: 100,
    bytesPerSecond: 10,
  };
  const rest = { chunksPerSecond: 1, workers: 1, basis: null };
  const content = { requests: 400, scheduled: 10_000, rows: 1000 };
  // Each result: 100,000 bytes, 2,400 for each of ten seconds, and 135 for each of 100 requests.
  const results = 4 * (100_000 + 24_000 + 13_500);
  expect(fleetForecast({ ...slice, ...rest }, content)).toEqual({
    cores: 6,
    memory: 400,
    bytesPerSecond: 40,
    addresses: 1,
    results,
    mergeTime: results * 0.00006,
    mergeMemory: 300 * 1_048_576 + results * 4.2,
  });
  const most = fleetForecast({ ...slice, ...rest, sockets: 7059 }, { ...content, rows: 10 });
  expect(most.addresses).toBe(2);
  expect(most.results).toBe(4 * (100_000 + 24_000 + 1350));
  expect(fleetForecast({ ...slice, ...rest, sockets: 0 }, content).addresses).toBe(1);
  // A result has a whole number of bytes.
  const uneven = fleetForecast({ ...slice, ...rest }, { ...content, requests: 401 });
  expect(uneven.results).toBe(4 * 137_534);
});
