import type { Histogram } from '../../../model/measures/histogram.ts';

/** The number of samples of at most `value`, by binary search, since a histogram only gives values by rank. */
const countUpTo = (histogram: Histogram, value: number): number => {
  let low = 0;
  let high = histogram.count;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (histogram.atRank(middle) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
};

/** The number of samples between each two of these ascending edges; the first includes everything below it. */
export const binCounts = (histogram: Histogram, edges: readonly number[]): readonly number[] => {
  const upTo = edges.slice(1).map((edge) => countUpTo(histogram, edge * (1 + 1e-9)));
  return upTo.map((count, i) => count - (upTo[i - 1] ?? 0));
};
