import { expect, it } from 'vitest';
import { emptyHistogram } from '../../model/measures/histogram.ts';
import type { MeasureName } from '../../model/measures/measures.ts';
import { emptyOutcomeCounts, emptySecond } from '../../model/measures/outcome-counts.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { sampleObjective } from '../../model/plan/sample-objective.fixture.ts';
import { milliseconds } from '../../model/quantity.ts';
import { healthyResult, sampleGroup, streamLabels } from '../sample-result.fixture.ts';
import { observeObjective } from './judge-objectives.ts';

/** How far the true mean of 400 equal times can be above them: what answers too rare to be seen can add. */
const raisedBy = (name: MeasureName, deadlines: { total: number | null; idle: number | null }) => {
  const ms = (time: number | null) => (time === null ? null : milliseconds(time));
  const plan = samplePlan({
    warmUp: milliseconds(0),
    deadlines: {
      connect: null,
      firstToken: null,
      idle: ms(deadlines.idle),
      total: ms(deadlines.total),
    },
  });
  const histogramOf = (count: number, digits?: 2) => {
    const histogram = emptyHistogram(digits);
    for (let i = 0; i < count; i += 1) histogram.record(100);
    return histogram.toJSON();
  };
  const timeline = Array.from({ length: 20 }, (_, second) => ({
    ...emptySecond(second),
    due: 20,
    outcomes: { ...emptyOutcomeCounts(), completed: 20 },
    latency: { 'chat-stream': { [name]: histogramOf(20, 2) } },
  }));
  const group = sampleGroup(400, {
    labels: streamLabels,
    distributions: { [name]: histogramOf(400) },
  });
  const result = healthyResult({
    plan,
    groups: [group],
    timeline,
    scheduled: milliseconds(20_000),
  });
  const figure = { kind: 'measure', name, statistic: 'mean' } as const;
  const held = sampleObjective({ figure, comparison: '<', bound: 800 });
  const { observed } = observeObjective(result, held);
  expect(observed.observed).toBe(100);
  return observed.outer!.high! - 100;
};

it.each<[MeasureName, number | null, number | null, number]>([
  ['ttft', 10_000, 5000, 10_000],
  ['ttft', 120_000, null, 60_000],
  ['ttft', null, 1000, 60_000],
  ['endToEnd', 59_000, 1000, 59_000],
])('a rare %s under deadlines of %s and %s ms takes at most %d ms', (name, total, idle, most) => {
  // Of values that are rarer than ln 50 / 400, 98 % of runs have none.
  expect(raisedBy(name, { total, idle })).toBeCloseTo((3.912_023 / 400) * most, 2);
});
