import type { Quantile } from '../../model/measures/quantile.ts';
import type { TrustLevel } from '../../model/result/verdict.ts';

const worstLast: readonly TrustLevel[] = ['valid', 'degraded', 'invalid'];

/** The worst of some levels; `valid` of none. */
export const worstOf = (levels: Iterable<TrustLevel>): TrustLevel =>
  worstLast[[...levels].reduce((worst, level) => Math.max(worst, worstLast.indexOf(level)), 0)]!;

/** The level of a figure that is better when smaller: degraded above one mark, invalid above another. */
export const levelAbove = (value: number, degraded: number, invalid: number): TrustLevel => {
  if (value > invalid) return 'invalid';
  return value > degraded ? 'degraded' : 'valid';
};

/**
 * What of a percentile is held against the levels: where it is hardly more than the worst of few samples,
 * the lower bound of its 95 % confidence interval, so that one hiccup condemns no run.
 */
export const judgedValueOf = ({ weak, low, value }: Quantile): number =>
  weak ? (low ?? value) : value;

/**
 * The level of a run from those of its seconds. A level counts as the run's when it, or a worse one,
 * holds in one second of twenty and in three at least (in a run of fewer, in all): a hiccup is no
 * state. A single invalid second still degrades.
 */
export const sustainedLevel = (seconds: readonly TrustLevel[]): TrustLevel => {
  const enough = Math.max(Math.min(3, seconds.length), seconds.length / 20);
  const invalid = seconds.filter((level) => level === 'invalid').length;
  const unhealthy = seconds.filter((level) => level !== 'valid').length;
  if (invalid === 0 && unhealthy < enough) return 'valid';
  return invalid > 0 && invalid >= enough ? 'invalid' : 'degraded';
};

/** Why a run is better than the worst of its seconds; empty where it is not. */
export const worstSecondsNote = (seconds: readonly TrustLevel[]): string => {
  const worst = worstOf(seconds);
  if (sustainedLevel(seconds) === worst) return '';
  const worstSeconds = seconds.filter((level) => level === worst).length;
  return ` (${worstSeconds} of ${seconds.length} seconds ${worst}: that is said of a run from one second in twenty on, and from three at least)`;
};
