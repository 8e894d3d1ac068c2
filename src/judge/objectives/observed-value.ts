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

const withoutInterval = (observed: number | null, n: number | null): ObservedValue => ({
  observed,
  n,
  low: null,
  high: null,
});

export const observeDistribution = (histogram: Histogram, statistic: Statistic): ObservedValue => {
  const n = histogram.count;
  if (typeof statistic !== 'number') return withoutInterval(histogram[statistic], n);
  const { value = null, low = null, high = null } = quantile(histogram, statistic) ?? {};
  return { observed: value, n, low, high };
};

export const observeCount = (name: CountName, counted: CountedArrivals): ObservedValue =>
  withoutInterval(counts[name].of(counted), null);

/** In percent of all arrivals; `null` without arrivals. */
export const observeShare = (name: ShareName, counted: CountedArrivals): ObservedValue => {
  const n = countArrivals(counted.outcomes);
  if (n === 0) return withoutInterval(null, n);
  const part = shares[name].of(counted);
  const { low, high } = wilsonInterval(part, n);
  return { observed: (part / n) * 100, n, low: low * 100, high: high * 100 };
};

/** Per second; `null` without seconds. */
export const observeRate = (events: number, seconds: number): ObservedValue =>
  withoutInterval(seconds === 0 ? null : events / seconds, null);

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
  const length = Math.max(0, Math.floor(until / 1000) - first);
  const seconds = Array.from({ length }, (_, i) => first + i);
  if (stages === null) return seconds;
  const spans = stageSpans(plan).filter(({ name }) => stages.includes(name));
  return seconds.filter((second) =>
    spans.some(({ from, to }) => second * 1000 >= from && (second + 1) * 1000 <= to),
  );
};
