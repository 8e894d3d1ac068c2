import type { OutcomeCounts } from '../../model/measures/counts.ts';
import type { Histogram } from '../../model/measures/histogram.ts';
import type { ObjectiveFigure, Statistic } from '../../model/plan/objective.ts';
import { isTimeOfEachRequest, type MeasureName } from '../../model/measures/measures.ts';
import { type Dependence, halfWidthOfRatio } from '../../model/measures/dependence.ts';
import { doubt, quantile, wilsonInterval } from '../../model/measures/quantile.ts';
import {
  type CountedArrivals,
  counts,
  type RateName,
  type ShareName,
  shares,
} from '../../model/measures/run-figures.ts';
import { countArrivals } from '../../model/measures/outcome-counts.ts';
import { failuresBeside } from '../../model/result/summary.ts';

/** The figure of an objective so far. `low` and `high` bound its 95 % confidence interval. */
export interface ObservedValue {
  /** In the unit of the figure; `null` without data, infinite for a percentile beyond all arrivals that completed. */
  readonly observed: number | null;
  /** Samples, or arrivals of a share; `null` for other figures. */
  readonly n: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** The wider interval by which a verdict is sure; absent where that is `low` to `high`. */
  readonly outer?: Interval;
  /** Samples that weigh as independent ones; absent where that is `n`. */
  readonly effective?: number;
  /** The quantile of the samples that a percentile or an extreme is; higher than its own where arrivals failed. */
  readonly level?: number;
}

interface Interval {
  readonly low: number | null;
  readonly high: number | null;
}

/** The sources of figures, of which only the needed one is called. */
export interface FigureSources {
  readonly distribution: (name: MeasureName) => Histogram;
  /** Counts the arrivals of the measure's kinds of traffic. */
  readonly arrivals: (name: MeasureName) => OutcomeCounts;
  /** Returns how far the arrivals of a percentile, of which a share failed, depend on each other; `null`: unknown. */
  readonly dependenceOfDue: (name: MeasureName, q: number, failed: number) => Dependence | null;
  readonly meanHalfWidth: (name: MeasureName) => number | null;
  readonly counted: () => CountedArrivals;
  readonly dependenceOfShare: (name: ShareName, counted: CountedArrivals) => Dependence | null;
  /** Returns the values of a server’s figure; none if too many are missing. */
  readonly server: (name: string) => readonly number[];
  /** Returns a rate's events in each second after the warm-up, within the objective's stages if it names any. */
  readonly rated: (name: RateName) => readonly number[];
}

/** How a run that ends when it knows enough is sure. */
export interface Stopping {
  /**
   * Returns how far the arrivals beyond the objective's bound depend on each other; `null`: as far as those at the
   * percentile. How values vary within the bound does not matter, since it is kept in any case.
   */
  readonly dependence: (
    name: MeasureName,
    due: { readonly q: number; readonly failed: number },
  ) => Dependence | null;
  /** The number of effective samples is divided by this for the interval of a certain verdict. */
  readonly divisor: number;
}

const withoutInterval = (observed: number | null, n: number | null): ObservedValue => ({
  observed,
  n,
  low: null,
  high: null,
});

/** Returns a mean or a rate with the interval of a half width, if that is known. */
const around = (
  observed: number | null,
  n: number | null,
  halfWidth: number | null,
  divisor: number,
): ObservedValue => {
  if (observed === null || halfWidth === null) return withoutInterval(observed, n);
  const within = (width: number): Interval => ({
    low: Math.max(0, observed - width),
    high: observed + width,
  });
  return { observed, n, ...within(halfWidth), outer: within(Math.sqrt(divisor) * halfWidth) };
};

/** Computes a statistic of some values, quantiles by nearest rank; `null` without values. */
const statisticOf = (values: readonly number[], statistic: Statistic): number | null => {
  if (values.length === 0) return null;
  if (statistic === 'mean') return values.reduce((sum, each) => sum + each, 0) / values.length;
  const sorted = values.toSorted((a, b) => a - b);
  const q = statistic === 'min' ? 0 : statistic === 'max' ? 1 : statistic;
  return sorted[Math.max(0, Math.ceil(q * sorted.length - 1e-9) - 1)]!;
};

/** Returns an extreme, which is the quantile 1 or 1/n of its samples. */
const extremeOf = (histogram: Histogram, statistic: 'min' | 'max'): ObservedValue => ({
  ...withoutInterval(histogram[statistic], histogram.count),
  level: statistic === 'max' ? 1 : 1 / histogram.count,
});

/** Computes a percentile over all arrivals that were due: each that failed is infinite. */
const observePercentile = (
  name: MeasureName,
  q: number,
  sources: FigureSources,
  stopping: Stopping | null,
): ObservedValue => {
  const samples = sources.distribution(name);
  const failures = isTimeOfEachRequest(name)
    ? failuresBeside(samples.count, sources.arrivals(name))
    : 0;
  const n = samples.count + failures;
  if (n === 0) return withoutInterval(null, n);
  const due = {
    count: n,
    atRank: (rank: number): number =>
      rank > samples.count ? Number.POSITIVE_INFINITY : samples.atRank(rank),
  };
  const dependence = sources.dependenceOfDue(name, q, failures / n);
  const found = quantile(due, q, dependence)!;
  const { value, low, high } = found;
  const { outer } =
    stopping === null
      ? found
      : quantile(
          due,
          q,
          stopping.dependence(name, { q, failed: failures / n }) ?? dependence,
          stopping.divisor,
        )!;
  // How the times depend on each other says nothing on whether enough arrivals completed.
  const effective = Number.isFinite(value) ? found.effective : n;
  return { observed: value, n, low, high, outer, effective, level: (q * n) / samples.count };
};

/**
 * Computes a figure. Shares are in percent of all arrivals, rates per second. With `stopping`, the outer interval is the
 * one by which a run may end.
 */
export const observeFigure = (
  figure: ObjectiveFigure,
  sources: FigureSources,
  stopping: Stopping | null = null,
): ObservedValue => {
  const divisor = stopping?.divisor ?? doubt;
  switch (figure.kind) {
    case 'measure': {
      const { statistic } = figure;
      if (typeof statistic === 'number')
        return observePercentile(figure.name, statistic, sources, stopping);
      const histogram = sources.distribution(figure.name);
      const n = histogram.count;
      return statistic === 'mean'
        ? around(histogram.mean, n, sources.meanHalfWidth(figure.name), divisor)
        : extremeOf(histogram, statistic);
    }
    case 'count':
      return withoutInterval(counts[figure.name].of(sources.counted()), null);
    case 'share': {
      const counted = sources.counted();
      const n = countArrivals(counted.outcomes);
      const part = shares[figure.name].of(counted);
      if (part === null) return withoutInterval(null, null);
      if (n === 0) return withoutInterval(null, n);
      const observed = (part / n) * 100;
      const dependence = sources.dependenceOfShare(figure.name, counted);
      if (dependence === null) return withoutInterval(observed, n);
      const between = (widening: number): Interval => {
        const { low, high } = wilsonInterval(part / widening, n / widening);
        return { low: low * 100, high: high * 100 };
      };
      const { effect, widening } = dependence;
      const outer = between(divisor * widening);
      return { observed, n, ...between(widening), outer, effective: Math.max(1, n / effect) };
    }
    case 'server': {
      const values = sources.server(figure.name);
      return withoutInterval(statisticOf(values, figure.statistic), values.length);
    }
    case 'rate': {
      const seconds = sources.rated(figure.name).map((sum) => ({ sum, of: 1 }));
      if (seconds.length === 0) return withoutInterval(null, null);
      const mean = seconds.reduce((total, { sum }) => total + sum, 0) / seconds.length;
      return around(mean, null, halfWidthOfRatio(seconds), divisor);
    }
  }
};
