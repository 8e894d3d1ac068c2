import { expect, it } from 'vitest';
import { healthyResult, sampleGroup, streamLabels } from '../../../judge/sample-result.fixture.ts';
import { emptyHistogram } from '../../../model/measures/histogram.ts';
import { emptyOutcomeCounts } from '../../../model/measures/outcome-counts.ts';
import type { Objective } from '../../../model/plan/objective.ts';
import { samplePlan } from '../../../model/plan/sample-plan.fixture.ts';
import { objectiveBreaches } from './step-objectives.ts';
import { sampleObjective } from '../../../model/plan/sample-objective.fixture.ts';

const objective: Objective = sampleObjective();

/** The breaches of a step in which 900 answers took so many ms, and as many requests failed as named. */
const breachesOf = (
  took: number,
  failed: Readonly<Record<string, number>>,
  objectives: readonly Objective[] = [objective],
) => {
  const endToEnd = emptyHistogram(3);
  endToEnd.recordAll(Array.from({ length: 900 }, () => took));
  const outcomes = { ...emptyOutcomeCounts(), completed: 900, ...failed };
  const group = sampleGroup(900, {
    labels: { ...streamLabels, warmUp: false },
    outcomes,
    distributions: { endToEnd: endToEnd.toJSON() },
  });
  const plan = samplePlan({ objectives: [...objectives] });
  return objectiveBreaches(healthyResult({ plan, groups: [group] }), group.labels.stage, outcomes)
    .breaches;
};

it.each([
  [400, {}, 'latency', 'got 400 ms'],
  [100, { limited: 100 }, 'refusals', 'too few completed'],
  [100, { broken: 100 }, 'failures', 'too few completed'],
])(
  'an objective on a time that answers of %i ms and the failures %o break is bound by %s',
  (took, failed, bound, why) => {
    expect(breachesOf(took, failed)).toEqual([{ bound, text: `${objective.text}: ${why}` }]);
  },
);

it.each([
  [{ limited: 9 }, []],
  [
    { limited: 47 },
    [{ bound: 'refusals', text: '5.0 % of all arrivals failed; expected at most 1 %' }],
  ],
  [{ limited: 48 }, [{ bound: 'refusals', text: 'goodput 94.9 %; expected at least 95 %' }]],
  [{ broken: 100 }, [{ bound: 'failures', text: 'goodput 90.0 %; expected at least 95 %' }]],
])('a step without objectives whose failures are %o breaks %j', (failed, breaches) => {
  expect(breachesOf(100, failed, [])).toEqual(breaches);
});
