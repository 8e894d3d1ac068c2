import type { Plan } from '../model/plan.ts';
import { saturationOf } from '../model/plan.ts';
import { Problem } from '../platform/problem.ts';
import type { RunOrder } from './open-run.ts';

/** What a command line can ask and a `saturate` load cannot give, each with the reason. */
const refused: readonly {
  readonly isAsked: (asked: Pick<RunOrder, 'capture' | 'slice'>) => boolean;
  readonly sentence: string;
}[] = [
  {
    isAsked: ({ capture }) => capture !== undefined,
    sentence:
      '--capture listens in to Weir’s own transports, and a load of the kind "saturate" is sent by autocannon. Leave --capture out, or use the kind "closed"',
  },
  {
    isAsked: ({ slice }) => slice.count > 1,
    sentence:
      '--slice: a load of the kind "saturate" has no shares: every machine would run flat out by itself. Run it on each as a run of its own, or use the kind "closed"',
  },
];

/** Throws a `Problem` where a plan that runs flat out is asked for what does not go with that. */
export const refuseBesideSaturation = (
  plan: Plan,
  asked: Pick<RunOrder, 'capture' | 'slice'>,
): void => {
  if (saturationOf(plan) === null) return;
  const found = refused.find(({ isAsked }) => isAsked(asked));
  if (found !== undefined) throw new Problem(found.sentence);
};
