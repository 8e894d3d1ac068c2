import type { Result } from '../model/result.ts';
import { firstMeasuredSecond } from '../model/summary.ts';

/**
 * The seconds of a run that a generator is judged by. Left out are the warm-up, which no figure holds,
 * and in any case the first second: code is compiled and connections are made then, whatever the
 * load. Of a run that has no other seconds, all are judged.
 */
export const judgedSeconds = <T extends { readonly second: number }>(
  result: Result,
  seconds: readonly T[],
): readonly T[] => {
  const first = Math.max(1, firstMeasuredSecond(result));
  const judged = seconds.filter(({ second }) => second >= first);
  return judged.length === 0 ? seconds : judged;
};
