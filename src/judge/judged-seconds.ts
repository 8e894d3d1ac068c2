import type { Result } from '../model/result.ts';
import { firstMeasuredSecond } from '../model/summary.ts';

interface Split<T> {
  readonly judged: readonly T[];
  /** The first second, where it is measured and yet not judged. */
  readonly unjudged: T | null;
}

interface Timed {
  readonly second: number;
}

const from = <T extends Timed>(seconds: readonly T[], first: number): readonly T[] => {
  const kept = seconds.filter(({ second }) => second >= first);
  return kept.length === 0 ? seconds : kept;
};

/** The seconds of a run that its figures hold: all after the warm-up. Of a run that has no such seconds, all. */
export const measuredSeconds = <T extends Timed>(
  result: Result,
  seconds: readonly T[],
): readonly T[] => from(seconds, firstMeasuredSecond(result));

/**
 * The measured seconds without the first second of the run: code is compiled and connections are made
 * then, whatever the load. Of a run that has no other seconds, all are judged.
 */
export const judgedSeconds = <T extends Timed>(result: Result, seconds: readonly T[]): Split<T> => {
  const measured = measuredSeconds(result, seconds);
  const judged = from(measured, 1);
  return { judged, unjudged: measured.find((second) => !judged.includes(second)) ?? null };
};
