import type { StepRequest } from '../judge/capacity/next-step.ts';
import type { OpenLoad, Plan } from '../model/plan/plan.ts';
import { milliseconds, perSecond } from '../model/quantity.ts';

/** Arrivals are spaced as the plan’s own open load spaces them; evenly where it has none. */
const spacingOf = ({ stages }: Plan): OpenLoad['spacing'] => {
  const open = stages.map(({ load }) => load).find((load) => load.kind === 'open');
  return open?.spacing ?? 'even';
};

/** What is left over from a step is not waited for longer than this, in ms, so that overload costs little. */
const maxGrace = 30_000;

/**
 * The plan of one step: the first stage’s traffic at a constant rate, open. Its first half lets the flow
 * become steady. Nothing waits and nothing is tried again: that would hide the very limit that is looked for.
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
