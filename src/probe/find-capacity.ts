import type { CapacityStep } from '../model/capacity.ts';
import { nextStep, type SearchTerms, type StepOrder } from '../judge/capacity/next-step.ts';

/** What a search may spend, over all its steps. */
export interface SearchCap {
  readonly requests: number;
  /** Of load, in seconds. */
  readonly seconds: number;
  readonly steps: number;
}

/** How steps are taken. */
export interface Climber {
  /** Takes a step; `null` when somebody wishes to stop. */
  readonly take: (order: StepOrder, number: number) => Promise<CapacityStep | null>;
  readonly say: (step: CapacityStep) => void;
}

/** Why a search ended. */
export type SearchEnd = 'done' | 'capped' | 'unfit' | 'undecided' | 'stopped';

export interface Searched {
  readonly steps: readonly CapacityStep[];
  readonly end: SearchEnd;
}

/** So many steps in a row that tell nothing end the search: a machine may be busy for a while, an objective stays as it is. */
const vainSteps = { unfit: 5, undecided: 2 } as const;

const vainEnd = (steps: readonly CapacityStep[]): keyof typeof vainSteps | null => {
  const last = steps.at(-1)?.verdict;
  if (last !== 'unfit' && last !== 'undecided') return null;
  const count = vainSteps[last];
  const isVain =
    steps.length >= count && steps.slice(-count).every(({ verdict }) => verdict === last);
  return isVain ? last : null;
};

/**
 * Climbs a staircase of open loads, then searches between the last step that was kept and the first that
 * broke. Every step is chosen by `judge/capacity/next-step.ts` from the answers to all before it.
 */
export const findCapacity = async (
  { take, say }: Climber,
  terms: SearchTerms,
  cap: SearchCap,
): Promise<Searched> => {
  const steps: CapacityStep[] = [];
  let requests = 0;
  let seconds = 0;
  for (;;) {
    const vain = vainEnd(steps);
    if (vain !== null) return { steps, end: vain };
    const order = nextStep(steps, terms);
    if (order === null) return { steps, end: 'done' };
    requests += Math.ceil(order.rate * order.seconds);
    seconds += order.seconds;
    if (requests > cap.requests || seconds > cap.seconds || steps.length >= cap.steps) {
      return { steps, end: 'capped' };
    }
    const step = await take(order, steps.length + 1);
    if (step === null) return { steps, end: 'stopped' };
    steps.push(step);
    say(step);
  }
};
