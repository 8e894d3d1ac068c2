import { nearestRank } from '../../model/measures/histogram.ts';

/** Returns the value that a share `q` of the arrivals does not pass, where failures are infinite. */
export const percentileWithFailures = (values: readonly number[], q: number): number =>
  values.toSorted((a, b) => a - b)[nearestRank(values.length, q) - 1] ?? Number.POSITIVE_INFINITY;
