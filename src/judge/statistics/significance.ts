import { designEffect, type Share, shareOf, sumOfShares } from '../../model/measures/share.ts';
import { beyondT, criticalT } from './student-t.ts';
import { wilsonInterval } from '../../model/measures/quantile.ts';
import { sumOf } from '../../model/sums.ts';

export interface Contrast {
  /** The mean of the second set minus the mean of the first set. */
  readonly difference: number;
  readonly error: number;
  readonly freedom: number;
  /** The p-value (two-sided). */
  readonly p: number;
}

export const meanOf = (values: readonly number[]): number => sumOf(values) / values.length;

export const geometricMean = (values: readonly number[]): number =>
  Math.exp(meanOf(values.map(Math.log)));

export const varianceOf = (values: readonly number[]): number => {
  const mean = meanOf(values);
  return sumOf(values, (value) => (value - mean) ** 2) / (values.length - 1);
};

/**
 * Performs Welch's t test on two sets of at least two values (B. L. Welch, Biometrika 34, 1947), with the degrees of
 * freedom of F. E. Satterthwaite (Biometrics Bulletin 2, 1946). `resolution` is the variance that comes from rounding
 * alone.
 */
export const welch = (
  first: readonly number[],
  second: readonly number[],
  resolution: number,
): Contrast => {
  const parts = [first, second].map((values) => ({
    squared: Math.max(varianceOf(values), resolution) / values.length,
    freedom: values.length - 1,
  }));
  const squared = sumOf(parts, (part) => part.squared);
  const freedom = squared ** 2 / sumOf(parts, (part) => part.squared ** 2 / part.freedom);
  const difference = meanOf(second) - meanOf(first);
  const error = Math.sqrt(squared);
  return { difference, error, freedom, p: beyondT(difference / error, freedom) };
};

/** Returns half the width of the confidence interval whose confidence is 1 − `alpha`. */
export const halfWidth = ({ error, freedom }: Contrast, alpha: number): number =>
  criticalT(alpha, freedom) * error;

/**
 * Sums the counts of all repetitions and divides the sums by their design effect, since failures within a repetition
 * depend on each other.
 */
export const effectiveShare = (repetitions: readonly Share[]): Share => {
  const { events, of } = sumOfShares(repetitions);
  const effect = designEffect(repetitions);
  return { events: events / effect, of: of / effect };
};

/**
 * Computes the confidence interval of the difference of two shares, second minus first (R. G. Newcombe, Statistics in
 * Medicine 17, 1998, method 10). `z` is the normal quantile of the confidence. If the design effect comes from few
 * repetitions, `z` is the quantile of Student's t.
 */
export const newcombe = (
  first: Share,
  second: Share,
  z: number,
): { readonly low: number; readonly high: number } => {
  const one = wilsonInterval(first.events, first.of, z);
  const two = wilsonInterval(second.events, second.of, z);
  const [p1, p2] = [shareOf(first), shareOf(second)];
  const difference = p2 - p1;
  return {
    low: difference - Math.sqrt((p2 - two.low) ** 2 + (one.high - p1) ** 2),
    high: difference + Math.sqrt((two.high - p2) ** 2 + (p1 - one.low) ** 2),
  };
};
