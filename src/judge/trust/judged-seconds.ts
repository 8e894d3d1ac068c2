import type { Result } from '../../model/result/result.ts';
import { measuredSeconds } from '../../model/result/summary.ts';

interface Split<T> {
  readonly judged: readonly T[];
  /** The first second, where it is measured and yet not judged. */
  readonly unjudged: T | null;
}

interface Timed {
  readonly second: number;
}

/**
 * The measured seconds without the first second of the run: code is compiled and connections are made
 * then, whatever the load. Of a run that has no other seconds, all are judged.
 */
export const judgedSeconds = <T extends Timed>(result: Result, seconds: readonly T[]): Split<T> => {
  const measured = measuredSeconds(result, seconds);
  const later = measured.filter(({ second }) => second >= 1);
  const judged = later.length === 0 ? measured : later;
  return { judged, unjudged: measured.find((second) => !judged.includes(second)) ?? null };
};
