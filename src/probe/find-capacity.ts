import type { CapacityStep } from '../model/series/capacity.ts';
import { nextStep, type SearchTerms, type StepRequest } from '../judge/capacity/next-step.ts';

/** What a search may spend, over all its steps. */
export interface SearchBudget {
  readonly requests: number;
  /** Of load, in seconds. */
  readonly seconds: number;
  readonly steps: number;
}

/** How steps are taken. */
export interface StepRunner {
  /** Takes a step; `null` when somebody wishes to stop. */
  readonly runStep: (request: StepRequest, number: number) => Promise<CapacityStep | null>;
  readonly onStep: (step: CapacityStep) => void;
}

/** Why a search ended. */
export type SearchEnd = 'done' | 'capped' | 'unfit' | 'undecided' | 'stopped';

export interface FinishedSearch {
  readonly steps: readonly CapacityStep[];
  readonly end: SearchEnd;
}

/** So many steps in a row that tell nothing end the search: a machine may be busy for a while, an objective stays as it is. */
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
 * Climbs a staircase of open loads, then searches between the last step that was kept and the first that
 * broke. Every step is chosen by `judge/capacity/next-step.ts` from the answers to all before it.
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
