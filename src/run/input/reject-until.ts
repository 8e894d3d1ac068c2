import type { Plan } from '../../model/plan/plan.ts';
import { Problem } from '../../platform/problem.ts';

/** What cannot use runs of different lengths, each with the reason. */
const fixedLengthOnly = {
  slices: 'no machine of several sees enough to decide when all of them end',
  sweep: 'the points of a sweep are compared over the same time',
  repeat: 'repeated runs are compared over the same time',
  capacity: 'weir capacity chooses the length of its steps itself',
} as const;

/** Throws a `Problem` for a plan that ends when it is decided, where each run must last as long as planned. */
export const rejectUntil = (
  { until }: Pick<Plan, 'until'>,
  feature: keyof typeof fixedLengthOnly,
): void => {
  if (until === undefined) return;
  throw new Problem(
    `until: ${until}: ${fixedLengthOnly[feature]}. Leave "until" and "atMost" out, and give the load a duration`,
  );
};
