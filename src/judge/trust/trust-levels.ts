import { measuredSeconds } from '../../model/result/summary.ts';
import type { Result } from '../../model/result/result.ts';
import type { Quantile } from '../../model/measures/quantile.ts';
import type { TrustLevel } from '../../model/result/verdict.ts';

const levelOrder: readonly TrustLevel[] = ['valid', 'degraded', 'invalid'];

/** Returns the worst level; `valid` if there are none. */
export const worstOf = (levels: Iterable<TrustLevel>): TrustLevel =>
  levelOrder[[...levels].reduce((worst, level) => Math.max(worst, levelOrder.indexOf(level)), 0)]!;

export const levelAbove = (value: number, degraded: number, invalid: number): TrustLevel => {
  if (value > invalid) return 'invalid';
  return value > degraded ? 'degraded' : 'valid';
};

/** Returns the value of a percentile to judge: with few samples, the lower bound of its 95 % confidence interval. */
export const judgedValueOf = ({ weak, low, value }: Quantile): number =>
  weak ? (low ?? value) : value;

/**
 * Returns the level of a run from those of its seconds. A run has a level if at least 5 % of its seconds, and at least
 * three (or all, if there are fewer), have that level or a worse one. A single invalid second still degrades the run.
 */
export const sustainedLevel = (seconds: readonly TrustLevel[]): TrustLevel => {
  const enough = Math.max(Math.min(3, seconds.length), seconds.length / 20);
  const invalid = seconds.filter((level) => level === 'invalid').length;
  const unhealthy = seconds.filter((level) => level !== 'valid').length;
  if (invalid === 0 && unhealthy < enough) return 'valid';
  return invalid > 0 && invalid >= enough ? 'invalid' : 'degraded';
};

/** Says how many seconds had the worst level if they are too few to count for the run; otherwise empty. */
export const worstSecondsNote = (seconds: readonly TrustLevel[]): string => {
  const worst = worstOf(seconds);
  if (sustainedLevel(seconds) === worst) return '';
  const worstSeconds = seconds.filter((level) => level === worst).length;
  return ` (${worstSeconds} of ${seconds.length} seconds too high)`;
};

interface Split<T> {
  readonly judged: readonly T[];
  /** The first second, if it is measured but not judged. */
  readonly unjudged: T | null;
}

/**
 * Returns the seconds to judge: those that are measured, without the first second of the run, in which code is compiled
 * and connections are established at any load. If there are no others, all are judged.
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
