import { nearestRank } from '../../model/measures/histogram.ts';

/**
 * Returns the smallest value that at least the share `q` of the arrivals do not exceed. A failed arrival counts as
 * infinite. Without arrivals, the result is infinite.
 */
export const percentileWithFailures = (values: readonly number[], q: number): number =>
  values.toSorted((a, b) => a - b)[nearestRank(values.length, q) - 1] ?? Number.POSITIVE_INFINITY;
