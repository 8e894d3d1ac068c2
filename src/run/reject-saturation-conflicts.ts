import type { RunRequest } from './input/run-request.ts';
import type { Plan } from '../model/plan/plan.ts';
import { saturateLoadOf } from '../model/plan/plan.ts';
import { Problem } from '../platform/problem.ts';

/** Options that do not work with a `saturate` load, each with the reason. */
const conflicts: readonly {
  readonly isAsked: (request: Pick<RunRequest, 'capture' | 'slice'>) => boolean;
  readonly sentence: string;
}[] = [
  {
    isAsked: ({ capture }) => capture !== undefined,
    sentence:
      '--capture reads Weir’s own transports, and a load of the kind "saturate" is sent by autocannon. Leave --capture out, or use the kind "closed"',
  },
  {
    isAsked: ({ slice }) => slice.count > 1,
    sentence:
      '--slice: a load of the kind "saturate" has no shares: every machine would saturate the target by itself. Start a separate run on each machine, or use the kind "closed"',
  },
];

/** Throws a `Problem` if a plan with a `saturate` load has such an option. */
export const rejectSaturationConflicts = (
  plan: Plan,
  request: Pick<RunRequest, 'capture' | 'slice'>,
): void => {
  if (saturateLoadOf(plan) === null) return;
  const found = conflicts.find(({ isAsked }) => isAsked(request));
  if (found !== undefined) throw new Problem(found.sentence);
};
