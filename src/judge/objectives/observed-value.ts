import type { Histogram } from '../../model/measures/histogram.ts';
import type { Statistic } from '../../model/plan/objective.ts';
import { quantile, wilsonInterval } from '../../model/measures/quantile.ts';
import {
  counts,
  type CountName,
  shares,
  type ShareName,
  type CountedArrivals,
} from '../../model/measures/run-figures.ts';
import { countArrivals } from '../../model/measures/outcome-counts.ts';
import { loadDuration, type Plan } from '../../model/plan/plan.ts';
import { firstMeasuredSecond } from '../../model/result/summary.ts';

/** The figure of an objective, at the end of a run or during it. */
export interface ObservedValue {
  /** In the unit of the figure; `null` without data. */
  readonly observed: number | null;
  /** Samples, or arrivals of a share; `null` for counts and rates. */
  readonly n: number | null;
  /** The 95 % confidence interval. */
  readonly low: number | null;
  readonly high: number | null;
}

export const observeDistribution = (histogram: Histogram, statistic: Statistic): ObservedValue => {
  const n = histogram.count;
  if (typeof statistic !== 'number') {
    return { observed: histogram[statistic], n, low: null, high: null };
  }
  const seen = quantile(histogram, statistic);
  return { observed: seen?.value ?? null, n, low: seen?.low ?? null, high: seen?.high ?? null };
};

export const observeCount = (name: CountName, tallied: CountedArrivals): ObservedValue => ({
  observed: counts[name].of(tallied),
  n: null,
  low: null,
  high: null,
});

/** In percent of all arrivals; `null` without arrivals. */
export const observeShare = (name: ShareName, tallied: CountedArrivals): ObservedValue => {
  const n = countArrivals(tallied.outcomes);
  if (n === 0) return { observed: null, n, low: null, high: null };
  const part = shares[name].of(tallied);
  const { low, high } = wilsonInterval(part, n);
  return { observed: (part / n) * 100, n, low: low * 100, high: high * 100 };
};

/** Per second; `null` without seconds. */
export const observeRate = (events: number, seconds: number): ObservedValue => ({
  observed: seconds === 0 ? null : events / seconds,
  n: null,
  low: null,
  high: null,
});

/** Start and end of each stage in ms of the run. */
export const stageSpans = (
  plan: Plan,
): readonly { readonly name: string; readonly from: number; readonly to: number }[] => {
  let start = 0;
  return plan.stages.map(({ name, load }) => {
    const from = start;
    start += loadDuration(load);
    return { name, from, to: start };
  });
};

/**
 * The whole seconds of a rate: from the end of the warm-up to `until` (ms), within the named stages if
 * any.
 */
export const ratedSeconds = (
  plan: Plan,
  until: number,
  stages: readonly string[] | null,
): readonly number[] => {
  const first = firstMeasuredSecond({ plan });
  const last = Math.floor(until / 1000);
  const chosen = stageSpans(plan).filter(({ name }) => stages === null || stages.includes(name));
  const isInStages = (second: number): boolean =>
    stages === null ||
    chosen.some(({ from, to }) => second * 1000 >= from && (second + 1) * 1000 <= to);
  return Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i).filter(isInStages);
};
