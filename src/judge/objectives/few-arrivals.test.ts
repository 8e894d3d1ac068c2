import { expect, it } from 'vitest';
import { emptyOutcomeCounts } from '../../model/measures/outcome-counts.ts';
import type { Objective } from '../../model/plan/objective.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { milliseconds } from '../../model/quantity.ts';
import { healthyResult, sampleGroup } from '../sample-result.fixture.ts';
import { judgeObjectives } from './judge-objectives.ts';

/** The verdict on a share of so many arrivals, all of which completed but `failed`, without any interval. */
const verdictOn = (
  name: 'errorRate' | 'faultRate',
  bound: number,
  { completed, malformed }: { readonly completed: number; readonly malformed: number },
) => {
  const objective: Objective = {
    text: name,
    figure: { kind: 'share', name },
    scope: { traffic: null, model: null, key: null, stages: null },
    comparison: '<',
    bound,
    minSamples: 1,
    severity: 'fail',
    abortAfter: null,
  };
  const outcomes = { ...emptyOutcomeCounts(), completed, malformed };
  const plan = samplePlan({ warmUp: milliseconds(0), objectives: [objective] });
  const result = healthyResult({
    plan,
    groups: [sampleGroup(completed, { outcomes })],
    timeline: [],
  });
  return (isStrict: boolean) =>
    judgeObjectives(result, { level: 'valid', evidence: [], figures: [] }, isStrict)[0]!;
};

it('a kept share of few arrivals is not sure if not even independent ones would make it sure', () => {
  // Wilson's interval of 0 of 30 ends at 11.4 %, of 0 of 400 at 0.95 %.
  const few = verdictOn('errorRate', 1, { completed: 30, malformed: 0 });
  expect(few(false)).toMatchObject({ ruling: 'pass', sure: false, low: null, high: null });
  expect(few(true)).toMatchObject({ ruling: 'inconclusive', grounds: 'unsure' });
  const enough = verdictOn('errorRate', 12, { completed: 30, malformed: 0 });
  expect(enough(false)).toMatchObject({ ruling: 'pass', sure: null });
  const many = verdictOn('faultRate', 1, { completed: 400, malformed: 0 });
  expect(many(false)).toMatchObject({ ruling: 'pass', sure: null });
});

it('a broken share of few arrivals is broken, whatever its interval', () => {
  const broken = verdictOn('faultRate', 1, { completed: 9, malformed: 1 });
  expect(broken(false)).toMatchObject({ ruling: 'fail', observed: 10, sure: null });
});
