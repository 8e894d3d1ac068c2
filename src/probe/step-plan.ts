import type { StepRequest } from '../judge/capacity/next-step.ts';
import type { OpenLoad, Plan } from '../model/plan/plan.ts';
import { milliseconds, perSecond } from '../model/quantity.ts';

/** The spacing of the plan’s open load; `even` if it has none. */
const spacingOf = ({ stages }: Plan): OpenLoad['spacing'] => {
  const open = stages.map(({ load }) => load).find((load) => load.kind === 'open');
  return open?.spacing ?? 'even';
};

/** Maximum grace in ms, so that overload costs little time. */
const maxGrace = 30_000;

/**
 * The plan of one step: the first stage’s traffic at a constant open rate. The flow becomes steady in
 * the first half. There is no pace and no retry: they would hide the limit.
 */
export const stepPlan = (plan: Plan, { rate, seconds }: StepRequest, number: number): Plan => {
  const duration = milliseconds(seconds * 1000);
  const name = `step-${number}`;
  const load: OpenLoad = {
    kind: 'open',
    spacing: spacingOf(plan),
    curve: [{ from: perSecond(rate), to: perSecond(rate), duration }],
  };
  return {
    ...plan,
    name: `${plan.name} ${name}`,
    stages: [{ name, load, traffic: plan.stages[0]!.traffic }],
    warmUp: milliseconds(duration / 2),
    grace: milliseconds(Math.min(plan.grace, maxGrace, duration)),
    retry: null,
    pace: null,
    objectives: plan.objectives.map((objective) => ({
      ...objective,
      scope: { ...objective.scope, stages: null },
      abortAfter: null,
    })),
    perRequest: plan.perRequest.map((objective) => ({
      ...objective,
      scope: { ...objective.scope, stages: null },
    })),
    // A step of its own chance, and the same in every search with this seed.
    seed: plan.seed + number,
  };
};
