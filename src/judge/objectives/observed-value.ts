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

/** What was seen of an objective's figure, at the end of a run or in its midst. */
export interface ObservedValue {
  /** In the figure's unit; `null` where nothing was seen of it. */
  readonly observed: number | null;
  /** Samples, of a share arrivals; `null` for what has none. */
  readonly n: number | null;
  /** The 95 % confidence interval, where there is one. */
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

/** A counter that never fired is 0. */
export const observeCount = (name: CountName, tallied: CountedArrivals): ObservedValue => ({
  observed: counts[name].of(tallied),
  n: null,
  low: null,
  high: null,
});

/** In percent of all arrivals; of none there is no share. */
export const observeShare = (name: ShareName, tallied: CountedArrivals): ObservedValue => {
  const n = countArrivals(tallied.outcomes);
  if (n === 0) return { observed: null, n, low: null, high: null };
  const part = shares[name].of(tallied);
  const { low, high } = wilsonInterval(part, n);
  return { observed: (part / n) * 100, n, low: low * 100, high: high * 100 };
};

/** Per second of those that it is over; of none there is no rate. */
export const observeRate = (events: number, seconds: number): ObservedValue => ({
  observed: seconds === 0 ? null : events / seconds,
  n: null,
  low: null,
  high: null,
});
