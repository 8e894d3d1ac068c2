import {
  decodeHistogram,
  type Histogram,
  sumOfHistograms,
} from '../../model/measures/histogram.ts';
import type { MeasureName } from '../../model/measures/measures.ts';
import type { DelayName } from '../../model/measures/read-delays.ts';
import type { Result } from '../../model/result/result.ts';
import {
  distributionOf,
  groupsMatching,
  type LabelFilter,
  lagOver,
  measuredSeconds,
} from '../../model/result/summary.ts';
import type { ErrorBounds } from '../../model/result/verdict.ts';
import { errorForms, type ErrorForm, shiftedFigure } from './error-forms.ts';
import { type ReadingErrors, readingErrorsOf } from './reading-errors.ts';

/**
 * This file computes by how much the load generator can have moved a percentile.
 *
 * An instant is read late by E ≥ 0. E is at most the sum of two parts: the time that other work in the event loop took
 * before the read, recorded for each request (for durations that count from due, the lag of the start is part of it); and
 * the time until the process ran at all, which the self-test streams show.
 *
 * A measured duration X that ends with such a read is too long by E, so the true one is X − E. For any e, and however X
 * and E depend on each other, P(X − E ≤ x) ≤ P(X ≤ x + e) + P(E > e). Let α be the share of requests with E > e, and X(q)
 * the measured q-quantile. The true q-quantile then lies between X(q − α) − e and X(q). A duration between two reads, such
 * as a gap, can also be too short, so the true q-quantile lies between X(q − α) − e and X(q + α) + e.
 *
 * Every e, with its α, gives a valid bound, and the best of those that are tried counts. Example: the measured p95 is
 * 240 ms, and no read was more than 15 ms late: the true p95 is at least 240 − 15 = 225 ms. If all but 1 % of the reads
 * were at most 2 ms late, and the measured p94 is 230 ms, it is at least 230 − 2 = 228 ms, which is the better bound. So
 * the true p95 lies between 228 and 240 ms.
 *
 * The share of late instants of the self-test streams is that of all instants. A few requests can be hit more often by
 * chance, so α is then the largest share that is likely.
 */

/** The values of α that are tried. */
const triedShares = [0, 0.0005, 0.002, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.1, 0.2] as const;

/**
 * Returns the largest share of `count` requests that is likely to be hit if `share` of all instants is, with a
 * confidence of 95 %. It is the upper quantile of a binomial in the normal approximation, rounded up to a whole
 * request.
 */
const likelyShare = (share: number, count: number): number => {
  const mean = count * share;
  return Math.ceil(mean + 1.645 * Math.sqrt(mean * (1 - share)) - 1e-9) / count;
};

type Quantiles = (q: number) => number;
/** Returns the bounds of the true q-quantile. */
type Bounds = (q: number) => ErrorBounds;

const quantilesOf = (histogram: Histogram): Quantiles => {
  const { count } = histogram;
  const known = new Map<number, number>();
  return (q) => {
    const rank = Math.min(count, Math.max(1, Math.ceil(count * q - 1e-9)));
    const found = known.get(rank) ?? histogram.atRank(rank);
    known.set(rank, found);
    return found;
  };
};

/** A result, and how late its machine read. */
interface ReadResult {
  readonly result: Result;
  readonly reading: ReadingErrors;
  /** Returns the lag of the starts. It is the same for every figure. */
  readonly lag: () => Histogram;
}

const recordedDelays = ({ result }: ReadResult, name: DelayName, where: LabelFilter): Histogram =>
  sumOfHistograms(
    groupsMatching(result, where).flatMap(({ delays }) =>
      delays?.[name] === undefined ? [] : [decodeHistogram(delays[name])],
    ),
  );

const delaysOf = (read: ReadResult, name: DelayName, where: LabelFilter): Histogram => {
  const found = recordedDelays(read, name, where);
  if (found.count > 0) return found;
  const atEnds = recordedDelays(read, 'end', where);
  // Results of earlier versions contain only the lag of the starts.
  return atEnds.count > 0 ? atEnds : read.lag();
};

/**
 * Creates a function that returns the time, in ms, by which instants can be late, except for two shares of the
 * requests: one for the recorded delays, one for the reading errors.
 */
const latenessOf = (read: ReadResult, form: ErrorForm, where: LabelFilter, requests: number) => {
  const delays = delaysOf(read, form.delay, where);
  const delayQuantiles = delays.count === 0 ? () => 0 : quantilesOf(delays);
  const gaps = form.isGreatest ? distributionOf(read.result, 'gap', where).count : 0;
  const readsPerRequest = 1 + gaps / requests;
  return (ofDelays: number, ofReading: number): number =>
    delayQuantiles(1 - ofDelays / readsPerRequest) +
    read.reading.beyond(ofReading / readsPerRequest);
};

/** Returns the bounds where the delays of each sample are known, otherwise `null`. */
const boundsBetween = (
  read: ReadResult,
  [leastName, greatestName]: readonly [DelayName, DelayName],
  where: LabelFilter,
): Bounds | null => {
  const [least, greatest] = [
    recordedDelays(read, leastName, where),
    recordedDelays(read, greatestName, where),
  ];
  if (least.count === 0 || greatest.count === 0) return null;
  const [lows, highs] = [quantilesOf(least), quantilesOf(greatest)];
  return (q) => {
    let [low, high] = [0, Number.POSITIVE_INFINITY];
    for (const ofReading of triedShares) {
      const excluded = likelyShare(ofReading, least.count);
      const e = read.reading.beyond(ofReading);
      if (excluded < q) low = Math.max(low, lows(q - excluded) - e);
      if (excluded < 1 - q || excluded === 0) high = Math.min(high, highs(q + excluded) + e);
    }
    return { low, high };
  };
};

const boundsByLateness = (
  read: ReadResult,
  form: ErrorForm,
  histogram: Histogram,
  where: LabelFilter,
): Bounds => {
  const samples = quantilesOf(histogram);
  const lateness = latenessOf(read, form, where, histogram.count);
  const scaledBy = form.per ?? form.rate;
  const scale = scaledBy === undefined ? null : distributionOf(read.result, scaledBy, where);
  if (scale?.count === 0) return () => ({ low: 0, high: Number.POSITIVE_INFINITY });
  const scales = scale === null ? null : quantilesOf(scale);
  return (q) => {
    let [low, high] = [0, Number.POSITIVE_INFINITY];
    for (const ofDelays of triedShares) {
      const ofScale = scales === null ? 0 : ofDelays;
      const least =
        scales === null ? 1 : Math.max(1e-9, scales(ofScale) - (form.excludedUnits ?? 0));
      for (const ofReading of triedShares) {
        const excluded = ofDelays + likelyShare(ofReading, histogram.count) + ofScale;
        const e = lateness(ofDelays, ofReading);
        if (!Number.isFinite(e)) continue;
        if (excluded < q)
          low = Math.max(low, shiftedFigure(form, samples(q - excluded), e, least).lower);
        if (excluded < 1 - q || excluded === 0)
          high = Math.min(high, shiftedFigure(form, samples(q + excluded), e, least).upper);
      }
    }
    return { low, high };
  };
};

/** The bounds of the figures of one result. */
export interface FigureErrors {
  /**
   * Returns the bounds of the true quantiles of a measure in the groups that `where` selects; `null` without samples,
   * or for a measure without an error.
   */
  readonly boundsOf: (measure: MeasureName, where: LabelFilter) => Bounds | null;
}

export const figureErrorsOf = (result: Result): FigureErrors => {
  let lag: Histogram | null = null;
  const read: ReadResult = {
    result,
    reading: readingErrorsOf(result),
    lag: () => (lag ??= lagOver(measuredSeconds(result, result.timeline))),
  };
  return {
    boundsOf: (measure, where) => {
      const form = errorForms[measure];
      if (form === undefined) return null;
      const histogram = distributionOf(result, measure, where);
      if (histogram.count === 0) return null;
      const values = quantilesOf(histogram);
      const bounds =
        (form.between && boundsBetween(read, form.between, where)) ??
        boundsByLateness(read, form, histogram, where);
      return (q) => {
        const value = values(q);
        const { low, high } = bounds(q);
        if (form.isBetweenReads) return { low: Math.min(low, value), high: Math.max(high, value) };
        // A late end makes a duration longer and a rate lower, and never the reverse.
        return form.rate === undefined
          ? { low: Math.min(low, value), high: value }
          : { low: value, high: Math.max(high, value) };
      };
    },
  };
};
