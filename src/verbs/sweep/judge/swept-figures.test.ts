import { describe, expect, it } from 'vitest';
import { healthyResult, sampleGroup } from '../../../judge/sample-result.fixture.ts';
import { emptyHistogram } from '../../../model/measures/histogram.ts';
import { emptyOutcomeCounts, emptySecond } from '../../../model/measures/outcome-counts.ts';
import { samplePlan } from '../../../model/plan/sample-plan.fixture.ts';
import { milliseconds } from '../../../model/quantity.ts';
import type { Result } from '../../../model/result/result.ts';
import { axisOf, figureNames, figureOfRun, isLatencyName, isRateName } from './swept-figures.ts';

const timesOf = (count: number, took: number) => {
  const histogram = emptyHistogram(2);
  histogram.recordAll(Array.from({ length: count }, () => took));
  return histogram.toJSON();
};

/** A run of ten seconds: two requests a second, each of so many ms. */
const runWith = (
  load: object | null,
  tookIn: (second: number) => number = () => 500,
  stages = 1,
): Result => {
  const base = samplePlan({ warmUp: milliseconds(0) });
  const stage = load === null ? base.stages[0]! : ({ ...base.stages[0]!, load } as never);
  const plan = { ...base, stages: Array.from({ length: stages }, () => stage) };
  const took = Array.from({ length: 10 }, (_, second) => tookIn(second));
  const endToEnd = emptyHistogram(3);
  for (const each of took) endToEnd.recordAll([each, each]);
  return healthyResult({
    plan,
    scheduled: milliseconds(10_000),
    groups: [sampleGroup(20, { distributions: { endToEnd: endToEnd.toJSON() } })],
    timeline: took.map((each, second) => ({
      ...emptySecond(second),
      due: 2,
      sent: 2,
      outcomes: { ...emptyOutcomeCounts(), completed: 2 },
      completed: { chat: 2 },
      latency: { chat: { endToEnd: timesOf(2, each) } },
    })),
  });
};
const closed = { kind: 'closed', users: 3, thinkTime: 0, rampUp: 0, duration: 10_000 };
const valueOf = (result: Result, name: string): number | null =>
  figureOfRun(result, name)?.value ?? null;

describe('a figure of a run', () => {
  it('is read by its name, a percentile with whether it has few samples', () => {
    const result = runWith(null);
    expect(valueOf(result, 'completedRate')).toBe(2);
    expect(valueOf(result, 'offeredRate')).toBe(2);
    expect(figureOfRun(result, 'endToEnd.p50')!.value).toBeCloseTo(500, -1);
    expect(figureOfRun(result, 'endToEnd.p95')!.isWeak).toBe(true);
    expect(figureOfRun(result, 'completedRate')!.isWeak).toBe(false);
    expect(valueOf(result, 'ttft.p50')).toBeNull();
    expect(valueOf(result, 'outputTokenRate')).toBeNull();
    expect(valueOf(result, 'nothing')).toBeNull();
  });

  it('in flight is the number of users who wait, or rate times time', () => {
    expect(valueOf(runWith(closed), 'inFlight')).toBe(3);
    expect(valueOf(runWith(null), 'inFlight')).toBeCloseTo(1, 2);
    expect(valueOf(runWith({ ...closed, thinkTime: 5 }), 'inFlight')).toBeCloseTo(1, 2);
    expect(valueOf(runWith(closed, undefined, 2), 'inFlight')).not.toBe(3);
  });

  it('of a steady mean leaves out what was due within the longest request before the end', () => {
    // Of ten seconds, the requests of the last two are quicker; the longest takes 2 s, so seconds 0 to 7 count.
    const leaving = (second: number): number => (second < 8 ? 2_000 : 100);
    expect(valueOf(runWith(closed, leaving), 'steadyMean')).toBeCloseTo(2_000, -1);
    expect(valueOf(runWith(null, leaving), 'steadyMean')).toBeCloseTo(1_620, -1);
    // A quick request in the last second that counts, and one that takes just too long for it.
    const last = (longest: number) => (second: number) => (second === 0 ? longest : 100);
    expect(valueOf(runWith(closed, last(1_000)), 'steadyMean')).toBeCloseTo(200, -1);
    // All of it is within the longest request: the mean is over everything.
    expect(valueOf(runWith(closed, last(11_000)), 'steadyMean')).toBeCloseTo(1_190, -1);
  });
});

it('figures have a title, a unit and a direction', () => {
  expect(axisOf('sentRate')).toEqual({ name: 'sentRate', label: 'Sent', unit: '/s' });
  expect(axisOf('endToEnd.p95')).toMatchObject({ name: 'endToEnd.p95', unit: 'ms' });
  expect(axisOf('endToEnd.p95')!.label).toMatch(/p95$/);
  expect(axisOf('nothing')).toBeNull();
  expect([isRateName('sentRate'), isRateName('ttft.p50')]).toEqual([true, false]);
  expect([isLatencyName('ttft.p50'), isLatencyName('sentRate')]).toEqual([true, false]);
  expect(figureNames([null, 'ttft.p99', 'ttft.p95']).slice(-2)).toEqual([
    'endToEnd.p95',
    'ttft.p99',
  ]);
  expect(figureNames([])).toHaveLength(12);
});
