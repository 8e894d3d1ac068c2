import { sumOf } from '../../../model/sums.ts';
import type { Share } from '../../../model/measures/share.ts';
import type { Histogram } from '../../../model/measures/histogram.ts';
import { beyondT } from '../../../judge/statistics/student-t.ts';
import { type Contrast, meanOf, newcombe } from '../../../judge/statistics/significance.ts';

/**
 * Adjusts the p-values of several tests, so that the probability of any false alarm stays below the level (S. Holm,
 * Scandinavian Journal of Statistics 6, 1979).
 */
export const holm = (values: readonly number[]): readonly number[] => {
  const order = values.map((_, i) => i).sort((a, b) => values[a]! - values[b]!);
  const adjusted = values.map(() => 1);
  let least = 0;
  for (const [rank, i] of order.entries()) {
    least = Math.max(least, Math.min(1, values[i]! * (values.length - rank)));
    adjusted[i] = least;
  }
  return adjusted;
};

/**
 * Adjusts p-values as `holm` does, but starts at the largest p-value, so that several figures that agree support each
 * other (Y. Hochberg, Biometrika 75, 1988). The probability stays below the level if the figures are independent or
 * positively dependent (S. K. Sarkar, Annals of Statistics 26, 1998). The figures of one run are positively dependent.
 */
export const hochberg = (values: readonly number[]): readonly number[] => {
  const order = values.map((_, i) => i).sort((a, b) => values[b]! - values[a]!);
  const adjusted = values.map(() => 1);
  let most = 1;
  for (const [rank, i] of order.entries()) {
    most = Math.min(most, values[i]! * (rank + 1));
    adjusted[i] = most;
  }
  return adjusted;
};

const centred = (values: readonly number[]): readonly number[] => {
  const mean = meanOf(values);
  return values.map((value) => value - mean);
};

interface Drift {
  readonly slope: number;
  /** The two-sided p-value of the slope. */
  readonly p: number;
  /** The variance of the values around the fitted lines, with its degrees of freedom. */
  readonly variance: number;
  readonly freedom: number;
  /** The sum of the squared distances of the positions from the mean position of their set. */
  readonly spread: number;
}

/**
 * Returns the drift that sets of values have in common, by least squares: each set has its own level, and all sets have
 * the same slope. Returns `null` for too few values. `resolution` is the variance that comes from rounding alone.
 */
export const driftOf = (
  sets: readonly (readonly number[])[],
  positions: readonly (readonly number[])[],
  resolution: number,
): Drift | null => {
  const [x, y] = [positions.flatMap(centred), sets.flatMap(centred)];
  const freedom = y.length - sets.length - 1;
  if (freedom < 1) return null;
  const spread = sumOf(x.map((value) => value ** 2));
  const slope = sumOf(x.map((value, i) => value * y[i]!)) / spread;
  const residuals = sumOf(x.map((value, i) => (y[i]! - slope * value) ** 2));
  const variance = Math.max(resolution, residuals / freedom);
  const p = beyondT(slope / Math.sqrt(variance / spread), freedom);
  return { slope, p, variance, freedom, spread };
};

/**
 * Returns the contrast of two sets after their common drift is removed (analysis of covariance: R. A. Fisher,
 * Statistical Methods for Research Workers, 4th edition, 1932, section 49.1).
 */
export const withoutDrift = (
  [first, second]: readonly [readonly number[], readonly number[]],
  positions: readonly [readonly number[], readonly number[]],
  { slope, variance, freedom, spread }: Drift,
): Contrast => {
  const apart = meanOf(positions[1]) - meanOf(positions[0]);
  const difference = meanOf(second) - meanOf(first) - slope * apart;
  const error = Math.sqrt(variance * (1 / first.length + 1 / second.length + apart ** 2 / spread));
  return { difference, error, freedom, p: beyondT(difference / error, freedom) };
};

/**
 * Returns the smallest alpha at which the interval of `newcombe` excludes zero, by bisection. `beyond` returns the
 * alpha of a quantile.
 */
export const newcombeP = (
  first: Share,
  second: Share,
  beyond: (quantile: number) => number,
): number => {
  const leavesOutZero = (z: number): boolean => {
    const { low, high } = newcombe(first, second, z);
    return low > 0 || high < 0;
  };
  let [out, within] = [0, 40];
  if (leavesOutZero(within)) return 0;
  for (let step = 0; step < 60; step += 1) {
    const middle = (out + within) / 2;
    if (leavesOutZero(middle)) out = middle;
    else within = middle;
  }
  return beyond(out);
};

/**
 * The number of quantiles at which distributions are compared. With this number, the distance is exact to a hundredth.
 */
const steps = 200;

const quantilesOf = (histogram: Histogram): readonly number[] =>
  Array.from({ length: steps }, (_, i) =>
    histogram.atRank(Math.max(1, Math.round(((i + 1) / steps) * histogram.count))),
  );

const shareUpTo = (quantiles: readonly number[], value: number): number =>
  (quantiles.findLastIndex((each) => each <= value) + 1) / steps;

/**
 * Computes the Kolmogorov–Smirnov distance: 0 for equal distributions, 1 for distributions without overlap; `null` if a
 * distribution is empty.
 */
export const ksDistance = (first: Histogram, second: Histogram): number | null => {
  if (first.count === 0 || second.count === 0) return null;
  const [one, other] = [quantilesOf(first), quantilesOf(second)];
  const apart = [...one, ...other].map((value) =>
    Math.abs(shareUpTo(one, value) - shareUpTo(other, value)),
  );
  return Math.max(...apart);
};
