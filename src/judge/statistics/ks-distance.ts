import type { Histogram } from '../../model/measures/histogram.ts';

/** The distributions are compared at this many quantiles: the distance is accurate to a hundredth. */
const steps = 200;

const quantilesOf = (histogram: Histogram): readonly number[] =>
  Array.from({ length: steps }, (_, i) =>
    histogram.atRank(Math.max(1, Math.round(((i + 1) / steps) * histogram.count))),
  );

/** The share of the quantiles that do not exceed `value`. */
const shareUpTo = (quantiles: readonly number[], value: number): number => {
  let [below, above] = [-1, steps];
  while (above - below > 1) {
    const middle = Math.floor((below + above) / 2);
    if (quantiles[middle]! <= value) below = middle;
    else above = middle;
  }
  return above / steps;
};

/**
 * The maximum difference between two distribution functions (Kolmogorov 1933, Smirnov 1939): 0 if equal,
 * 1 without overlap; `null` if one is empty.
 */
export const ksDistance = (first: Histogram, second: Histogram): number | null => {
  if (first.count === 0 || second.count === 0) return null;
  const [one, other] = [quantilesOf(first), quantilesOf(second)];
  const apart = [...one, ...other].map((value) =>
    Math.abs(shareUpTo(one, value) - shareUpTo(other, value)),
  );
  return Math.max(...apart);
};
