import type { OutcomeCounts } from '../../model/measures/counts.ts';
import { type Histogram, nearestRank } from '../../model/measures/histogram.ts';
import type { ObjectiveFigure, Statistic } from '../../model/plan/objective.ts';
import { isTimeOfEachRequest, type MeasureName } from '../../model/measures/measures.ts';
import { type Dependence, halfWidthOfRatio, z95 } from '../../model/measures/dependence.ts';
import { doubt, quantile, wilsonInterval } from '../../model/measures/quantile.ts';
import {
  type CountedArrivals,
  counts,
  type RateName,
  type ShareName,
  shares,
} from '../../model/measures/run-figures.ts';
import { cachedBounds, type CachedPrompts } from '../../model/measures/prompt-cache.ts';
import { countArrivals } from '../../model/measures/outcome-counts.ts';
import { failuresBeside } from '../../model/result/summary.ts';

/** The figure of an objective so far. `low` and `high` are the ends of its 95 % confidence interval. */
export interface ObservedValue {
  /**
   * The value in the figure's unit; `null` without data. A percentile is infinite if too few arrivals completed to
   * reach the percentile.
   */
  readonly observed: number | null;
  /** The number of samples, or of arrivals if the figure is a share; `null` for other figures. */
  readonly n: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** The wider interval that decides whether a verdict is sure; absent if it equals `low` to `high`. */
  readonly outer?: Interval;
  /**
   * The number of independent samples that the `n` samples are worth; absent if all `n` samples are independent.
   */
  readonly effective?: number;
  /** Set for a mean whose interval cannot be trusted, because a few high values decide the mean. */
  readonly weak?: true;
  /**
   * How many of the `n` samples are failures, if the failures make the upper end of the outer interval infinite;
   * otherwise absent.
   */
  readonly failed?: number;
  /**
   * Set for a percentile or an extreme: the quantile of the completed samples at which it lies. If arrivals failed,
   * this quantile is higher than the one that the objective names.
   */
  readonly level?: number;
  /**
   * The number of answers that do not report the figure; absent if all answers report it. `bounds` says how far the
   * silent answers can move the figure.
   */
  readonly unreported?: number;
  readonly bounds?: { readonly low: number; readonly high: number };
}

interface Interval {
  readonly low: number | null;
  readonly high: number | null;
}

/** The functions from which figures are computed. Only the functions that a figure needs are called. */
export interface FigureSources {
  readonly distribution: (name: MeasureName) => Histogram;
  /** Counts the arrivals of the traffic kinds that can have the measure. */
  readonly arrivals: (name: MeasureName) => OutcomeCounts;
  /**
   * Returns how strongly arrivals depend on each other at a percentile. `failed` is the share of the arrivals that
   * failed. Returns `null` if the dependence is unknown.
   */
  readonly dependenceOfDue: (name: MeasureName, q: number, failed: number) => Dependence | null;
  readonly meanHalfWidth: (name: MeasureName) => number | null;
  /** Returns the largest value, in ms, that a measure can have under the deadlines of a request. */
  readonly longest: (name: MeasureName) => number;
  readonly counted: () => CountedArrivals;
  readonly dependenceOfShare: (name: ShareName, counted: CountedArrivals) => Dependence | null;
  readonly cachedPrompts: () => CachedPrompts;
  readonly cachedHalfWidth: () => number | null;
  /** Returns the values of a server’s figure; an empty list if too many readings are missing. */
  readonly server: (name: string) => readonly number[];
  /**
   * Returns the events of a rate in each second after the warm-up. If the objective names stages, only the seconds of
   * these stages count.
   */
  readonly rated: (name: RateName) => readonly number[];
}

export interface Stopping {
  /**
   * Returns how strongly the arrivals beyond the objective's bound depend on each other. The variation of values within
   * the bound does not matter, since all of these values keep the bound. If the result is `null`, the dependence of the
   * arrivals at the percentile is used instead.
   */
  readonly dependence: (
    name: MeasureName,
    due: { readonly q: number; readonly failed: number },
  ) => Dependence | null;
  /**
   * The number of effective samples is divided by this number. This widens the interval that decides whether a verdict
   * is sure.
   */
  readonly divisor: number;
}

const withoutInterval = (observed: number | null, n: number | null): ObservedValue => ({
  observed,
  n,
  low: null,
  high: null,
});

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

/**
 * An interval by Student's t needs at least this many independent samples, times the squared skewness of the samples
 * (Cochran, Sampling Techniques, section 2.15).
 */
const samplesPerSkewness = 25;
/** With fewer independent samples, it is not known how far requests in a queue depend on each other. */
const leastIndependent = 50;

/**
 * If this many rare values are expected in a run, 98 % of the runs contain at least one. Rarer values may be unseen.
 */
const unseen = Math.log(50);

/**
 * Returns how far a true mean can be from the mean of skewed samples between 0 and `longest`, with a chance of 2 % on
 * each side (Maurer and Pontil, Empirical Bernstein Bounds, 2009, theorem 4). The largest values count as independent
 * of each other, as in `rare`. `effective` allows for the dependence of the other values.
 */
const marginOfSkewed = (n: number, variance: number, effective: number, longest: number): number =>
  Math.sqrt((2 * variance * unseen) / effective) + (7 * longest * unseen) / (3 * (n - 1));

/**
 * Computes a mean. Rare values, as large as a deadline permits, may be missing from the samples. The mean is surely
 * below a bound only if such values cannot raise the mean above the bound. Example: one answer in 500 that takes 30 s
 * adds 60 ms. With a chance of 14 %, 1,000 answers contain no such answer.
 */
const observeMean = (name: MeasureName, sources: FigureSources, divisor: number): ObservedValue => {
  const samples = sources.distribution(name);
  const { mean, count: n } = samples;
  const halfWidth = sources.meanHalfWidth(name);
  const found = around(mean, n, halfWidth, divisor);
  if (mean === null || halfWidth === null) return found;
  const { variance, skewness } = samples.shape();
  const effective = halfWidth === 0 ? n : Math.min(n, variance * (z95 / halfWidth) ** 2);
  const isSkewed = effective < n && effective < samplesPerSkewness * skewness ** 2;
  const longest = sources.longest(name);
  const margin = isSkewed
    ? Math.sqrt(divisor) * marginOfSkewed(n, variance, effective, longest)
    : Math.sqrt(divisor) * halfWidth;
  const rare = Math.min(1, unseen / n) * longest;
  return {
    ...found,
    outer: { low: Math.max(0, mean - margin), high: mean + Math.max(margin, rare) },
    effective: Math.max(1, effective),
    ...(isSkewed || effective < Math.min(n, leastIndependent) ? { weak: true } : {}),
  };
};

/** Returns a share and its intervals in percent. The arguments are between 0 and 1. */
const inPercent = ({ observed, n, low, high, outer }: ObservedValue): ObservedValue => {
  const percent = (share: number | null): number | null =>
    share === null ? null : Math.min(1, share) * 100;
  const ends = { low: percent(low), high: percent(high) };
  if (outer === undefined) return { observed: percent(observed), n, ...ends };
  const wider = { low: percent(outer.low), high: percent(outer.high) };
  return { observed: percent(observed), n, ...ends, outer: wider };
};

/** Computes a statistic of some values, with quantiles by nearest rank; `null` without values. */
const statisticOf = (values: readonly number[], statistic: Statistic): number | null => {
  if (values.length === 0) return null;
  if (statistic === 'mean') return values.reduce((sum, each) => sum + each, 0) / values.length;
  const sorted = values.toSorted((a, b) => a - b);
  const q = statistic === 'min' ? 0 : statistic === 'max' ? 1 : statistic;
  return sorted[nearestRank(sorted.length, q) - 1]!;
};

/** Returns the least or the greatest sample. Its level is the quantile 1/n or 1. */
const extremeOf = (histogram: Histogram, statistic: 'min' | 'max'): ObservedValue => ({
  ...withoutInterval(histogram[statistic], histogram.count),
  level: statistic === 'max' ? 1 : 1 / histogram.count,
});

/** Computes a percentile over all arrivals that were due. Arrivals that failed count as infinite. */
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
  // If too few arrivals completed, a percentile is infinite however strongly the times depend on each other. So all
  // samples count as independent.
  const effective = Number.isFinite(value) ? found.effective : n;
  const failed = outer.high === Number.POSITIVE_INFINITY ? { failed: failures } : {};
  return {
    observed: value,
    n,
    low,
    high,
    outer,
    effective,
    ...failed,
    level: (q * n) / samples.count,
  };
};

/**
 * Counts the arrivals over which a share is computed. Requests on which the client plans to hang up cannot meet
 * objectives, so goodput leaves them out.
 */
const arrivalsOf = (name: ShareName, { outcomes, awaited = outcomes }: CountedArrivals): number =>
  countArrivals(name === 'goodput' ? awaited : outcomes);

/** Computes a share of all arrivals. */
const observeShare = (name: ShareName, sources: FigureSources, divisor: number): ObservedValue => {
  const counted = sources.counted();
  const n = arrivalsOf(name, counted);
  const part = shares[name].of(counted);
  if (part === null) return withoutInterval(null, null);
  if (n === 0) return withoutInterval(null, n);
  const observed = (part / n) * 100;
  const dependence = sources.dependenceOfShare(name, counted);
  if (dependence === null) return withoutInterval(observed, n);
  const between = (widening: number): Interval => {
    const { low, high } = wilsonInterval(part / widening, n / widening);
    return { low: low * 100, high: high * 100 };
  };
  const { effect, widening } = dependence;
  const outer = between(divisor * widening);
  return { observed, n, ...between(widening), outer, effective: Math.max(1, n / effect) };
};

/** Computes the share of prompt tokens that came from a cache, over the answers that report cached tokens. */
const observeCacheHits = (sources: FigureSources, divisor: number): ObservedValue => {
  const prompts = sources.cachedPrompts();
  const { answers, input, cached, silent } = prompts;
  const bounds = cachedBounds(prompts);
  const missing = bounds === null ? {} : { unreported: silent, bounds };
  if (input === 0) return { ...withoutInterval(null, answers), ...missing };
  const share = around(cached / input, answers, sources.cachedHalfWidth(), divisor);
  return { ...inPercent(share), ...missing };
};

/**
 * Computes a figure. Shares are in percent of all arrivals, rates are per second. With `stopping`, the outer interval
 * is as wide as the rule for stopping a run requires.
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
      return statistic === 'mean'
        ? observeMean(figure.name, sources, divisor)
        : extremeOf(sources.distribution(figure.name), statistic);
    }
    case 'count':
      return withoutInterval(counts[figure.name].of(sources.counted()), null);
    case 'share':
      return observeShare(figure.name, sources, divisor);
    case 'token-share':
      return observeCacheHits(sources, divisor);
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
