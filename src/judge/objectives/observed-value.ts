import type { Histogram } from '../../model/measures/histogram.ts';
import type { Statistic } from '../../model/plan/objective.ts';
import { quantile } from '../../model/measures/quantile.ts';
import {
  counts,
  type CountName,
  shares,
  type ShareName,
  type CountedArrivals,
} from '../../model/measures/run-figures.ts';
import { countArrivals } from '../../model/measures/outcome-counts.ts';
import { wilsonInterval } from '../../model/measures/wilson.ts';

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
