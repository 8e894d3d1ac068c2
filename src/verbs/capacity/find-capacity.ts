import { isEvidence, isWithinError } from './judge/believed-rate.ts';
import { type StepRequest, nextStep, type SearchTerms } from './judge/next-step.ts';
import type { OpenLoad, Plan } from '../../model/plan/plan.ts';
import { milliseconds, perSecond } from '../../model/quantity.ts';
import type { CapacityStep } from './model/capacity.ts';

/** The maximum grace in ms. A short grace limits the time that an overload costs. */
const maxGrace = 30_000;

/**
 * The plan of one step: the first stage’s traffic at a constant open rate. The plan has no pace and no retry, since
 * both would hide the limit.
 */
export const stepPlan = (
  plan: Plan,
  { rate, seconds, warmUp }: StepRequest,
  number: number,
): Plan => {
  const duration = milliseconds(seconds * 1000);
  const name = `step-${number}`;
  const planned = plan.stages.map((stage) => stage.load).find(({ kind }) => kind === 'open');
  const load: OpenLoad = {
    kind: 'open',
    spacing: planned?.kind === 'open' ? planned.spacing : 'even',
    curve: [{ from: perSecond(rate), to: perSecond(rate), duration }],
  };
  return {
    ...plan,
    name: `${plan.name} ${name}`,
    stages: [{ name, load, traffic: plan.stages[0]!.traffic }],
    warmUp: milliseconds(warmUp * 1000),
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
    // Each step has its own seed, which is the same in every search with the plan's seed.
    seed: plan.seed + number,
  };
};

export interface SearchBudget {
  readonly requests: number;
  readonly seconds: number;
  readonly steps: number;
}

export interface FinishedSearch {
  readonly steps: readonly CapacityStep[];
  readonly end: 'done' | 'capped' | 'unfit' | 'undecided' | 'inexact' | 'stopped';
}

/**
 * The search ends after this many useless steps in a row. A busy machine may recover, so `unfit` steps may repeat more
 * often than `undecided` steps.
 */
const maxUselessSteps = { unfit: 5, undecided: 2 } as const;

/**
 * The search ends once this many steps are undecided because of the error of measurement, since more requests would
 * decide nothing.
 */
const maxInexactSteps = 6;

const uselessStepsEnd = (
  steps: readonly CapacityStep[],
): keyof typeof maxUselessSteps | 'inexact' | null => {
  const last = steps.at(-1)?.verdict;
  if (steps.filter(isWithinError).length >= maxInexactSteps) return 'inexact';
  if (last !== 'unfit' && last !== 'undecided') return null;
  const count = maxUselessSteps[last];
  const isUseless =
    steps.length >= count &&
    steps.slice(-count).every((step) => step.verdict === last && !isEvidence(step));
  return isUseless ? last : null;
};

/**
 * Doubles an open load until a step breaks an objective, then searches between the last `kept` and the first `broken`
 * step. `verbs/capacity/judge/next-step.ts` chooses each step from the results of the earlier steps.
 */
export const findCapacity = async (
  {
    runStep,
    onStep,
  }: {
    /** Resolves to `null` if the user stops the search. */
    readonly runStep: (request: StepRequest, number: number) => Promise<CapacityStep | null>;
    readonly onStep: (step: CapacityStep) => void;
  },
  terms: SearchTerms,
  budget: SearchBudget,
): Promise<FinishedSearch> => {
  const steps: CapacityStep[] = [];
  let requests = 0;
  let seconds = 0;
  for (;;) {
    const uselessEnd = uselessStepsEnd(steps);
    if (uselessEnd !== null) return { steps, end: uselessEnd };
    const request = nextStep(steps, terms);
    if (request === null) return { steps, end: 'done' };
    requests += Math.ceil(request.rate * request.seconds);
    seconds += request.seconds;
    if (requests > budget.requests || seconds > budget.seconds || steps.length >= budget.steps) {
      return { steps, end: 'capped' };
    }
    const step = await runStep(request, steps.length + 1);
    if (step === null) return { steps, end: 'stopped' };
    steps.push(step);
    onStep(step);
  }
};
