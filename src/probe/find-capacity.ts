import type { CapacityStep } from '../model/series/capacity.ts';
import { nextStep, type SearchTerms, type StepRequest } from '../judge/capacity/next-step.ts';

/** The maximum of all steps together. */
export interface SearchBudget {
  readonly requests: number;
  /** Duration of the load. */
  readonly seconds: number;
  readonly steps: number;
}

export interface StepRunner {
  /** Resolves to `null` if the user stops the search. */
  readonly runStep: (request: StepRequest, number: number) => Promise<CapacityStep | null>;
  readonly onStep: (step: CapacityStep) => void;
}

export type SearchEnd = 'done' | 'capped' | 'unfit' | 'undecided' | 'stopped';

export interface FinishedSearch {
  readonly steps: readonly CapacityStep[];
  readonly end: SearchEnd;
}

/** Consecutive useless steps that end the search: a machine is busy only for a while, an objective does not change. */
const maxUselessSteps = { unfit: 5, undecided: 2 } as const;

const uselessStepsEnd = (steps: readonly CapacityStep[]): keyof typeof maxUselessSteps | null => {
  const last = steps.at(-1)?.verdict;
  if (last !== 'unfit' && last !== 'undecided') return null;
  const count = maxUselessSteps[last];
  const isUseless =
    steps.length >= count && steps.slice(-count).every(({ verdict }) => verdict === last);
  return isUseless ? last : null;
};

/**
 * Doubles an open load until a step breaks an objective, then searches between the last `kept` and the
 * first `broken` step. `judge/capacity/next-step.ts` chooses every step from the results of all before.
 */
export const findCapacity = async (
  { runStep, onStep }: StepRunner,
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
