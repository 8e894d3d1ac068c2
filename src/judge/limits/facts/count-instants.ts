export interface Dated {
  readonly at: number;
  readonly weight: number;
}

const isAscending = (amounts: readonly Dated[]): boolean => {
  for (let i = 1; i < amounts.length; i += 1) if (amounts[i]!.at < amounts[i - 1]!.at) return false;
  return true;
};

/**
 * Returns two functions of an instant: the sum of all amounts before the instant, and the sum up to and including the
 * instant.
 */
export const cumulativeSums = (amounts: readonly Dated[]) => {
  const ascending = isAscending(amounts) ? amounts : amounts.toSorted((a, b) => a.at - b.at);
  const times = Float64Array.from(ascending, ({ at }) => at);
  const sums = new Float64Array(ascending.length + 1);
  for (let i = 0; i < ascending.length; i += 1) sums[i + 1] = sums[i]! + ascending[i]!.weight;
  return {
    before: (moment: number): number => sums[countBefore(times, moment)]!,
    upTo: (moment: number): number => sums[countUpTo(times, moment)]!,
  };
};

/** Counts the times that are before `moment`. The list `times` must ascend. */
export const countBefore = (times: Float64Array, moment: number): number => {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle]! < moment) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** Counts the times that are at or before `moment`. The list `times` must ascend. */
export const countUpTo = (times: Float64Array, moment: number): number => {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle]! <= moment) low = middle + 1;
    else high = middle;
  }
  return low;
};
