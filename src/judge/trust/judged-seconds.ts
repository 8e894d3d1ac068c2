import type { Result } from '../../model/result/result.ts';
import { measuredSeconds } from '../../model/result/summary.ts';

interface Split<T> {
  readonly judged: readonly T[];
  /** The first second, if it is measured but not judged. */
  readonly unjudged: T | null;
}

/**
 * The measured seconds without the first second of the run, in which code is compiled and connections
 * are established at any load. If there are no other seconds, all are judged.
 */
export const judgedSeconds = <T extends { readonly second: number }>(
  result: Result,
  seconds: readonly T[],
): Split<T> => {
  const measured = measuredSeconds(result, seconds);
  const later = measured.filter(({ second }) => second >= 1);
  const judged = later.length === 0 ? measured : later;
  return { judged, unjudged: measured.find((second) => !judged.includes(second)) ?? null };
};
