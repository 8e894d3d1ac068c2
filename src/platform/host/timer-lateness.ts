/**
 * The intervals between the timers that ran in one second, in nanoseconds, as `monitorEventLoopDelay` measures them.
 */
interface TimerIntervals {
  readonly count: number;
  readonly mean: number;
  readonly percentiles: ReadonlyMap<number, number>;
}

/**
 * Percentiles of how late the event loop was over all moments of one second, in ms. Example: at 90 % of the moments,
 * the event loop was at most `p90` late.
 */
export interface InstantLateness {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}

/**
 * Returns how late the event loop was at the instants of one second, computed from its timers; `null` if there were no
 * timers. While the event loop is blocked, one late timer replaces all timers that would have been due. So each timer
 * is weighted with the length of its interval. Example: of 50 timers at intervals of 10 ms, the last timer is 500 ms
 * late. This timer is only 2 % of the timers, but half of all instants fell into its interval.
 */
export const timerLateness = (
  { count, mean, percentiles }: TimerIntervals,
  resolution: number,
): InstantLateness | null => {
  if (count === 0) return null;
  let rank = 0;
  const groups = Array.from(percentiles, ([percent, length]) => {
    const before = rank;
    rank = Math.max(rank, Math.ceil((percent / 100) * count - 1e-9));
    // The intervals between two reported percentiles form a group. The interval at the upper percentile is the longest
    // interval of the group, and stands for the whole group.
    return { length, share: ((rank - before) * length) / (count * mean) };
  });
  const at = (q: number): number => {
    let longer = 0;
    for (let i = groups.length - 1; i >= 0; i -= 1) {
      const { length, share } = groups[i]!;
      longer += share;
      if (longer > 1 - q || i === 0)
        return Math.round(Math.max(0, length / 1e6 - resolution) * 1000) / 1000;
    }
    return 0;
  };
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99) };
};
