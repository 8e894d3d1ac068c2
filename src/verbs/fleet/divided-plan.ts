import { type Plan, saturateLoadOf } from '../../model/plan/plan.ts';
import { Problem } from '../../platform/problem.ts';
import { rejectSmallShares } from '../../run/open-run.ts';

/** The plan as so many machines can divide it. Throws a `Problem` if they cannot. */
export const dividedPlan = (plan: Plan, slices: number): Plan => {
  if (saturateLoadOf(plan) !== null) {
    throw new Problem(
      'a load of the kind "saturate" has no slices: every machine would saturate the target by itself. Start a separate run on each machine, or use the kind "closed"',
    );
  }
  rejectSmallShares(plan, slices);
  // The slices of all machines have to be of one kind.
  return plan.workers === 'auto' ? { ...plan, workers: 1 } : plan;
};
