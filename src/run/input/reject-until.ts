import type { Plan } from '../../model/plan/plan.ts';
import { Problem } from '../../platform/problem.ts';

/** Says why each slice of a run with several slices must last as long as planned. */
export const slicesNeedLength = 'no machine of several sees enough to decide when all of them end';

/**
 * Throws a `Problem` for a plan with `until`, since each run of the caller must last as long as planned. `whyLength`
 * says why. If the caller passes `whyWarmUp`, also throws for a plan with an automatic warm-up, since this caller sets
 * the warm-up.
 */
export const rejectUntil = (
  { until, autoWarmUp }: Pick<Plan, 'until' | 'autoWarmUp'>,
  whyLength: string,
  whyWarmUp?: string,
): void => {
  if (autoWarmUp !== undefined && whyWarmUp !== undefined)
    throw new Problem(`warmUp: auto: ${whyWarmUp}. Give "warmUp" a duration`);
  if (until === undefined) return;
  throw new Problem(
    `until: ${until}: ${whyLength}. Leave "until" and "atMost" out, and give the load a duration`,
  );
};
