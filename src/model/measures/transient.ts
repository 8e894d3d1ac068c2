import { dependenceOfShare } from './dependence.ts';
import { type Histogram, nearestRank, sumOfHistograms } from './histogram.ts';
import { type Share, sumOfShares } from './share.ts';

/**
 * This file finds the end of a run's transient, in which caches are cold, queues are empty and code is being compiled.
 * The second half of the run counts as the steady state. Its median and its p90 are two bounds. For an earlier stretch
 * of the run, the share of arrivals up to each bound is compared with the same share in the steady state. The stretch
 * differs if one of the shares differs by more than chance explains. The stronger the arrivals of the second half
 * depend on each other, the more chance explains. The rest of the run is not steady if the median or the p90 of its ten
 * blocks rises or falls throughout (Kendall's test). The usual rule, MSER, cuts something off in a third of all runs
 * without a transient; `transient.test.ts` counts how often this file's rule does.
 */

/**
 * A stretch differs from the steady state if its share deviates by more than this many standard errors. `begins`
 * decides whether there is a transient at all, `goesOn` whether it continues.
 */
const thresholds = { begins: 4, goesOn: 2 } as const;
/** The percentiles of the steady state up to which arrivals are counted. */
const levels = [0.5, 0.9] as const;
/**
 * The constants of Kendall's test: the number of blocks, and the minimum surplus of rising or falling pairs that shows
 * a trend.
 */
const trend = { blocks: 10, surplus: 31 } as const;
/** Each tried length of the transient is about this many times the length that was tried before. */
const growth = 1.25;

/** Returns the seconds at which a transient may end, from the first to the last. */
export const possibleEnds = (first: number, last: number): readonly number[] => {
  const ends = [first];
  let length = 1;
  while (first + length <= last) {
    ends.push(first + length);
    length = Math.max(length + 1, Math.round(length * growth));
  }
  return ends;
};

/**
 * The samples of a measure in one second. `failed` counts the failed arrivals that were due in the second. A failed
 * arrival counts as infinitely long.
 */
export interface MeasuredSecond {
  readonly samples: Histogram;
  readonly failed: number;
}

const measuredIn = (seconds: readonly MeasuredSecond[]): MeasuredSecond => ({
  samples: sumOfHistograms(
    seconds.map(({ samples }) => samples),
    2,
  ),
  failed: seconds.reduce((sum, { failed }) => sum + failed, 0),
});

/**
 * Returns a quantile of all arrivals; `null` without arrivals. If the quantile falls on a failed arrival, the quantile
 * is infinite.
 */
const quantileOf = ({ samples, failed }: MeasuredSecond, q: number): number | null => {
  const all = samples.count + failed;
  if (all === 0) return null;
  const rank = nearestRank(all, q);
  return rank > samples.count ? Number.POSITIVE_INFINITY : samples.atRank(rank);
};

/**
 * The share of arrivals whose value is at most a bound. `upTo` sums the share from the first second up to each second.
 * `steady` is the share in the steady state.
 */
interface Series {
  readonly upTo: readonly Share[];
  readonly steady: Share;
  readonly widening: number;
}

const seriesWithin = (seconds: readonly MeasuredSecond[], value: number, from: number): Series => {
  const shares = seconds.map(({ samples, failed }) => ({
    events: value === Number.POSITIVE_INFINITY ? samples.count : samples.countUpTo(value),
    of: samples.count + failed,
  }));
  const upTo: Share[] = [{ events: 0, of: 0 }];
  for (const share of shares) upTo.push(sumOfShares([upTo.at(-1)!, share]));
  const steady = shares.slice(from);
  return {
    upTo,
    steady: sumOfShares(steady),
    widening: dependenceOfShare(steady)?.widening ?? 1,
  };
};

/** Returns the difference between the share of a stretch and the share of the steady state, in standard errors. */
const deviationOf = ({ upTo, steady, widening }: Series, from: number, to: number): number => {
  const [before, after] = [upTo[from]!, upTo[to]!];
  const of = after.of - before.of;
  if (of === 0 || steady.of === 0) return 0;
  const events = after.events - before.events;
  // One case is added, half of it to the events, so that the variance is not 0 if both shares are 0 or both are 1.
  const pooled = (events + steady.events + 0.5) / (of + steady.of + 1);
  const variance = widening * pooled * (1 - pooled) * (1 / of + 1 / steady.of);
  return Math.abs(events / of - steady.events / steady.of) / Math.sqrt(variance);
};

/** Returns whether the median or the p90 of a measure rises or falls over the blocks of its seconds. */
const hasTrend = (seconds: readonly MeasuredSecond[]): boolean => {
  const { blocks: count, surplus } = trend;
  const blocks = Array.from({ length: count }, (_, i) =>
    measuredIn(
      seconds.slice(
        Math.floor((i * seconds.length) / count),
        Math.floor(((i + 1) * seconds.length) / count),
      ),
    ),
  );
  return levels.some((level) => {
    const values = blocks.map((block) => quantileOf(block, level)).filter((each) => each !== null);
    let rising = 0;
    for (const [i, earlier] of values.entries())
      for (const later of values.slice(i + 1))
        rising += Number(later > earlier) - Number(later < earlier);
    return Math.abs(rising) >= surplus;
  });
};

/** The end of a transient, in seconds of the run. */
export interface TransientEnd {
  readonly second: number;
  /** Whether the run is steady after this second. If the run is not steady, `second` is the last possible end. */
  readonly isSteady: boolean;
}

/**
 * Returns the first of the possible `ends` after which no stretch differs from the steady state. The steady state
 * begins at the last possible end. Each element of `measured` has one measure, second by second from the start of the
 * run.
 */
export const endOfTransient = (
  measured: readonly (readonly MeasuredSecond[])[],
  ends: readonly number[],
): TransientEnd => {
  const last = ends.at(-1)!;
  const series = measured.flatMap((seconds) => {
    const steady = measuredIn(seconds.slice(last));
    return levels.flatMap((level) => {
      const value = quantileOf(steady, level);
      return value === null ? [] : [seriesWithin(seconds, value, last)];
    });
  });
  const differsAfter = (i: number, threshold: number): boolean =>
    ends
      .slice(i + 1)
      .some((to) => series.some((each) => deviationOf(each, ends[i]!, to) > threshold));
  let i = 0;
  while (differsAfter(i, i === 0 ? thresholds.begins : thresholds.goesOn)) i += 1;
  const second = ends[i]!;
  const isSteady =
    (i === 0 || second < last) && !measured.some((seconds) => hasTrend(seconds.slice(second)));
  return { second: isSteady ? second : last, isSteady };
};
