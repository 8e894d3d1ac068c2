import { describe, expect, it } from 'vitest';
import { healthyResult, sampleGroup } from '../../../judge/sample-result.fixture.ts';
import type { Objective } from '../../../model/plan/objective.ts';
import { sampleVerdict } from '../../../report/fixtures/sample-verdict.fixture.ts';
import { milliseconds } from '../../../model/quantity.ts';
import { emptyHistogram } from '../../../model/measures/histogram.ts';
import { emptyOutcomeCounts } from '../../../model/measures/outcome-counts.ts';
import { defaultMisses, missOfObjective } from './missed-shares.ts';
import { objectiveBreaches } from './step-objectives.ts';
import { sampleObjective } from '../../../model/plan/sample-objective.fixture.ts';

/** So many seconds of 40 arrivals each. */
const resultOf = (seconds: number) => {
  const arrivals = 40 * seconds;
  const result = healthyResult({
    scheduled: milliseconds(seconds * 1000),
    lags: Array.from({ length: seconds }, () => Array.from({ length: 40 }, () => 0.3)),
    groups: [sampleGroup(arrivals)],
  });
  return { result, arrivals, outcomes: { ...emptyOutcomeCounts(), completed: arrivals } };
};
const everywhere = () => true;

describe('the arrivals that missed an objective', () => {
  it('are one independent case for each second where fewer than ten seconds leave their dependence unknown', () => {
    const { result, arrivals, outcomes } = resultOf(8);
    const allowed = { missed: 0.05, failed: 0.01 };
    const misses = defaultMisses(result, everywhere, arrivals, outcomes, allowed);
    expect(misses.map((miss) => miss?.cases)).toEqual([8, 8]);
  });

  it('are as many as there are where the seconds show no dependence', () => {
    const { result, outcomes } = resultOf(20);
    const allowed = { missed: 0.05, failed: 0.01 };
    const misses = defaultMisses(result, everywhere, 800, outcomes, allowed);
    expect(misses.at(-1)).toMatchObject({ share: 0, arrivals: 800, cases: 800 });
  });

  it('are one case for each second by an objective of the scenario without an interval, too', () => {
    const objective: Objective = sampleObjective({
      text: 'errorRate < 5%',
      figure: { kind: 'share', name: 'errorRate' },
      bound: 5,
      minSamples: 20,
    });
    const { result, arrivals } = resultOf(8);
    const found = { observed: 2, n: arrivals, low: null, high: null };
    const withoutInterval = sampleVerdict(found);
    expect(missOfObjective(result, objective, withoutInterval, everywhere)?.cases).toBe(8);
    const verdict = sampleVerdict({ ...found, low: 1, high: 4, effective: 90 });
    expect(missOfObjective(result, objective, verdict, everywhere)?.cases).toBe(90);
  });

  it('are between two shares if the error of measurement can have moved them across the bound', () => {
    const objective: Objective = sampleObjective({
      minSamples: 20,
    });
    const { result: empty } = resultOf(20);
    const times = emptyHistogram();
    for (let i = 0; i < 800; i += 1) times.record(i / 2);
    const groups = [sampleGroup(800, { distributions: { endToEnd: times.toJSON() } })];
    const result = { ...empty, groups };
    const seen = { observed: 320, n: 800, low: 310, high: 330 };
    const missOf = (error: { low: number; high: number }) =>
      missOfObjective(result, objective, sampleVerdict({ ...seen, error }), everywhere);
    expect(missOf({ low: 320, high: 320 })?.error).toBeUndefined();
    const miss = missOf({ low: 0, high: 320 })!;
    expect(miss.error!.low).toBeLessThan(miss.share);
    expect(miss.error!.high).toBe(miss.share);
  });
});

it('failures of a few seconds are not sure to be too many, as so many independent ones would be', () => {
  const { result, arrivals, outcomes } = resultOf(8);
  const failed = { ...outcomes, completed: arrivals - 10, refused: 10 };
  const stage = result.groups[0]!.labels.stage;
  expect(objectiveBreaches(result, stage, failed)).toMatchObject({ breaches: [], sure: false });
});
