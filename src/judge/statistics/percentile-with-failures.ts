import { nearestRank } from '../../model/measures/histogram.ts';

/**
 * Returns the smallest value for which at least a share `q` of the arrivals are not larger. A failed arrival counts as
 * infinite. The result is infinite without arrivals.
 */
export const percentileWithFailures = (values: readonly number[], q: number): number =>
  values.toSorted((a, b) => a - b)[nearestRank(values.length, q) - 1] ?? Number.POSITIVE_INFINITY;
