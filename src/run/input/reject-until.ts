import type { Plan } from '../../model/plan/plan.ts';
import { Problem } from '../../platform/problem.ts';

/** The features that cannot use runs of different lengths, each with the reason. */
const fixedLengthOnly = {
  slices: 'no machine of several sees enough to decide when all of them end',
  sweep: 'the points of a sweep are compared over the same time',
  repeat: 'repeated runs are compared over the same time',
  capacity: 'weir capacity chooses the length of its steps itself',
  fairness: 'weir fairness compares blocks of one length',
  recovery: 'weir recovery compares the time before an overload with a given time after it',
} as const;

/** What sets the warm-up of its loads itself, each with the reason. */
const ownWarmUp: Partial<Record<keyof typeof fixedLengthOnly, string>> = {
  sweep: 'the points of a sweep leave out the same time',
  capacity: 'weir capacity chooses the warm-up of its steps itself',
  recovery: 'weir recovery compares with all of the time before the overload',
};

/**
 * Throws a `Problem` for a plan that ends when it is decided, where each run must last as long as planned, and for one
 * that finds its warm-up, where that is set.
 */
export const rejectUntil = (
  { until, autoWarmUp }: Pick<Plan, 'until' | 'autoWarmUp'>,
  feature: keyof typeof fixedLengthOnly,
): void => {
  const whySet = ownWarmUp[feature];
  if (autoWarmUp !== undefined && whySet !== undefined)
    throw new Problem(`warmUp: auto: ${whySet}. Give "warmUp" a duration`);
  if (until === undefined) return;
  throw new Problem(
    `until: ${until}: ${fixedLengthOnly[feature]}. Leave "until" and "atMost" out, and give the load a duration`,
  );
};
