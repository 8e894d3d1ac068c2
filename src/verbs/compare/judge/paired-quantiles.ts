import {
  type Dependence,
  dependenceOfShare,
  halfWidthOfRatio,
  strongest,
} from '../../../model/measures/dependence.ts';
import { type Quantile, quantile, wilsonInterval } from '../../../model/measures/quantile.ts';
import type { Share } from '../../../model/measures/share.ts';

/**
 * This file computes figures of pairs: the same request goes to two sides, and the difference of the two times is one
 * sample. Neighbouring pairs share queues and outages, so intervals come from blocks of whole seconds, like the
 * intervals of a run. A failed request counts as infinitely long. A difference is unknown if both requests failed, or
 * if a side has no time. For the lower bound of a percentile, an unknown difference counts as the least value. For the
 * upper bound, an unknown difference counts as the greatest value.
 */

/**
 * The times of one request at both sides, in ms. A failed request has an infinite time. `null` means an unknown time.
 */
export interface PairedTimes {
  /** The whole second of the run in which the pair was due. */
  readonly second: number;
  readonly base: number | null;
  readonly next: number | null;
}

/** A figure with its 95 % interval. `null` stands for a bound or a value that is unknown or infinite. */
export interface PairedEstimate {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** The wider interval, which decides whether a verdict is sure. */
  readonly outer: { readonly low: number | null; readonly high: number | null };
}

interface PairedQuantile extends PairedEstimate {
  readonly q: number;
  /** Whether few samples support the percentile: fewer than ten effective samples are expected beyond it. */
  readonly weak: boolean;
}

/** Returns how many ms longer the new side took; `null` if the difference is unknown. */
export const pairDifference = ({
  base,
  next,
}: Pick<PairedTimes, 'base' | 'next'>): number | null => {
  const difference = base === null || next === null ? Number.NaN : next - base;
  return Number.isNaN(difference) ? null : difference;
};

const finiteOrNull = (value: number | null): number | null =>
  value === null || !Number.isFinite(value) ? null : value;

/** The value of each sample (`null` if unknown), and the second in which its pair was due. */
interface Samples {
  readonly seconds: readonly number[];
  readonly values: readonly (number | null)[];
}

const sortedOf = (values: readonly (number | null)[], unknown: number) => {
  const sorted = Float64Array.from(values, (value) => value ?? unknown).sort();
  return { count: sorted.length, atRank: (rank: number): number => sorted[rank - 1]! };
};

/** Returns, for each second with samples, the share of samples that are at most `level`. */
const sharesUpTo = ({ seconds, values }: Samples, level: number): readonly Share[] => {
  const bySecond = new Map<number, { events: number; of: number }>();
  for (const [i, value] of values.entries()) {
    if (value === null) continue;
    const share = bySecond.get(seconds[i]!) ?? { events: 0, of: 0 };
    bySecond.set(seconds[i]!, share);
    share.of += 1;
    if (value <= level) share.events += 1;
  }
  return [...bySecond].toSorted(([a], [b]) => a - b).map(([, share]) => share);
};

/**
 * Returns how strongly the samples depend on each other: at the percentile or at the median, whichever dependence is
 * stronger. The median shows queues that tails do not show.
 */
const dependenceAt = (samples: Samples, q: number): Dependence | null => {
  const known = sortedOf(
    samples.values.filter((value) => value !== null),
    0,
  );
  if (known.count === 0) return null;
  const levels = [0.5, q].map((each) => known.atRank(Math.max(1, Math.ceil(known.count * each))));
  return strongest(levels.map((level) => dependenceOfShare(sharesUpTo(samples, level))));
};

/** Returns a percentile: its value from the known samples, its bounds from all samples. */
const quantileWithUnknown = (
  samples: Samples,
  q: number,
): { readonly value: number; readonly low: Quantile; readonly high: Quantile } | null => {
  const { values } = samples;
  const dependence = dependenceAt(samples, q);
  const known = values.filter((value) => value !== null);
  const middle = quantile(sortedOf(known, 0), q, dependence);
  const low = quantile(sortedOf(values, Number.NEGATIVE_INFINITY), q, dependence);
  const high = quantile(sortedOf(values, Number.POSITIVE_INFINITY), q, dependence);
  return middle === null || low === null || high === null
    ? null
    : { value: middle.value, low, high };
};

const unknownEstimate: PairedEstimate = {
  value: null,
  low: null,
  high: null,
  outer: { low: null, high: null },
};

const differencesOf = (pairs: readonly PairedTimes[]): Samples => ({
  seconds: pairs.map(({ second }) => second),
  values: pairs.map(pairDifference),
});

/** Returns a percentile of the differences of pairs, with its interval. */
export const quantileOfDifferences = (pairs: readonly PairedTimes[], q: number): PairedQuantile => {
  const found = quantileWithUnknown(differencesOf(pairs), q);
  if (found === null) return { q, weak: true, ...unknownEstimate };
  const { value, low, high } = found;
  return {
    q,
    value: finiteOrNull(value),
    low: finiteOrNull(low.low),
    high: finiteOrNull(high.high),
    outer: { low: finiteOrNull(low.outer.low), high: finiteOrNull(high.outer.high) },
    weak: high.weak,
  };
};

const sideOf = (pairs: readonly PairedTimes[], side: 'base' | 'next'): Samples => ({
  seconds: pairs.map(({ second }) => second),
  values: pairs.map((pair) => pair[side]),
});

const minus = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? null : finiteOrNull(a - b);

interface PairedShift extends PairedQuantile {
  /** The percentile at each side. */
  readonly base: number | null;
  readonly next: number | null;
}

/**
 * Returns the percentile of the new side minus the percentile of the base. Scatter that both sides share cancels out in
 * this shift, but not in the tail of the differences. The interval is as wide as those of both percentiles together, so
 * it is never too narrow.
 */
export const shiftOfQuantile = (pairs: readonly PairedTimes[], q: number): PairedShift => {
  const base = quantileWithUnknown(sideOf(pairs, 'base'), q);
  const next = quantileWithUnknown(sideOf(pairs, 'next'), q);
  if (base === null || next === null)
    return { q, weak: true, base: null, next: null, ...unknownEstimate };
  return {
    q,
    base: finiteOrNull(base.value),
    next: finiteOrNull(next.value),
    value: minus(next.value, base.value),
    low: minus(next.low.low, base.high.high),
    high: minus(next.high.high, base.low.low),
    outer: {
      low: minus(next.low.outer.low, base.high.outer.high),
      high: minus(next.high.outer.high, base.low.outer.low),
    },
    weak: base.high.weak || next.high.weak,
  };
};

/**
 * Returns a share with Wilson's interval. Neighbouring pairs depend on each other, so the interval is that of a smaller
 * number of independent pairs.
 */
const shareOfPairs = (
  pairs: readonly PairedTimes[],
  isEvent: (pair: PairedTimes) => boolean,
): PairedEstimate => {
  const of = pairs.length;
  if (of === 0) return unknownEstimate;
  const samples = {
    seconds: pairs.map(({ second }) => second),
    values: pairs.map((pair) => (isEvent(pair) ? 0 : 1)),
  };
  const events = samples.values.filter((value) => value === 0).length;
  const dependence = dependenceOfShare(sharesUpTo(samples, 0));
  const interval = (divisor: number) =>
    dependence === null
      ? { low: null, high: null }
      : wilsonInterval(events / dependence.widening / divisor, of / dependence.widening / divisor);
  return { value: events / of, ...interval(1), outer: interval(2) };
};

/** Returns the share of pairs in which the new side took at most `most` ms longer. Unknown pairs count as longer. */
export const shareWithin = (pairs: readonly PairedTimes[], most: number): PairedEstimate =>
  shareOfPairs(pairs, (pair) => (pairDifference(pair) ?? Number.POSITIVE_INFINITY) <= most);

interface PairedFailures {
  /** In how many pairs only the base failed, only the new side failed, or both failed. */
  readonly baseOnly: number;
  readonly nextOnly: number;
  readonly both: number;
  /** The share of pairs in which the new side failed, minus the share of pairs in which the base failed. */
  readonly added: PairedEstimate;
}

const widest = (all: readonly (number | null)[], pick: (...values: number[]) => number) =>
  all.includes(null) ? null : pick(...all.map((each) => each ?? 0));

/**
 * Counts the failures of both sides. The interval of their difference is the wider of two intervals. One is Student's t
 * on blocks of seconds. The other is Wilson's interval on the pairs in which only one side failed, and holds even with
 * few failures.
 */
export const failuresOf = (pairs: readonly PairedTimes[]): PairedFailures => {
  const failed = (time: number | null): boolean => time === Number.POSITIVE_INFINITY;
  const isNextOnly = ({ base, next }: PairedTimes): boolean => failed(next) && !failed(base);
  const isBaseOnly = ({ base, next }: PairedTimes): boolean => failed(base) && !failed(next);
  const [next, base] = [shareOfPairs(pairs, isNextOnly), shareOfPairs(pairs, isBaseOnly)];
  const parts = new Map<number, { sum: number; of: number }>();
  for (const pair of pairs) {
    const part = parts.get(pair.second) ?? { sum: 0, of: 0 };
    parts.set(pair.second, part);
    part.of += 1;
    part.sum += Number(isNextOnly(pair)) - Number(isBaseOnly(pair));
  }
  const half = halfWidthOfRatio([...parts].toSorted(([a], [b]) => a - b).map(([, part]) => part));
  const value = minus(next.value, base.value);
  const between = (width: number | null, { low, high }: Pick<PairedEstimate, 'low' | 'high'>) => ({
    low: widest([minus(value, width), low], Math.min),
    high: widest([value === null || width === null ? null : value + width, high], Math.max),
  });
  const wilson = {
    low: minus(next.low, base.high),
    high: minus(next.high, base.low),
  };
  const outer = {
    low: minus(next.outer.low, base.outer.high),
    high: minus(next.outer.high, base.outer.low),
  };
  return {
    baseOnly: pairs.filter(isBaseOnly).length,
    nextOnly: pairs.filter(isNextOnly).length,
    both: pairs.filter((pair) => failed(pair.base) && failed(pair.next)).length,
    added: {
      value,
      ...between(half, wilson),
      outer: between(half === null ? null : half * Math.SQRT2, outer),
    },
  };
};

/**
 * Returns how many ms longer a request takes because it is the second request of its pair. Each side is second in about
 * half of the pairs. So the effect cancels out of the median, but widens the tails.
 */
export const orderEffectOf = (
  pairs: readonly (PairedTimes & { readonly nextFirst: boolean })[],
): PairedEstimate => {
  const [first, second] = [true, false].map((order) =>
    quantileOfDifferences(
      pairs.filter(({ nextFirst }) => nextFirst === order),
      0.5,
    ),
  ) as [PairedQuantile, PairedQuantile];
  const half = (value: number | null): number | null => (value === null ? null : value / 2);
  return {
    value: half(minus(second.value, first.value)),
    low: half(minus(second.low, first.high)),
    high: half(minus(second.high, first.low)),
    outer: {
      low: half(minus(second.outer.low, first.outer.high)),
      high: half(minus(second.outer.high, first.outer.low)),
    },
  };
};
