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
 * By how much the load generator can have moved a percentile. An instant is read late by E ≥ 0, which is at most the sum
 * of two parts: what ran in the event loop before the read, with the lag of the start for what counts from due (recorded
 * for each request), and the time until the process ran at all (from the self-test streams). For any e,
 * P(X − E ≤ x) ≤ P(X ≤ x + e) + P(E > e), whatever depends on what; so the true q-quantile of a duration that ends with
 * such a read lies between X(q − α) − e and X(q), where α is the share of requests whose E is above e (of the part that the self-test streams tell, the most that is likely). A duration
 * between two reads, such as a gap, lies between X(q − α) − e and X(q + α) + e. Each α gives a bound; the best of some counts.
 */

/** The shares of requests that are left out of a bound; the best pair of them counts. */
const shares = [0, 0.0005, 0.002, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.1, 0.2] as const;

/**
 * The share of `count` requests that a share of all instants can have hit, with a confidence of 95 %: of few requests by
 * chance a larger one. A binomial's upper quantile in the normal approximation, rounded up to a whole request.
 */
const shareHit = (share: number, count: number): number => {
  const mean = count * share;
  return Math.ceil(mean + 1.645 * Math.sqrt(mean * (1 - share)) - 1e-9) / count;
};

type Quantiles = (q: number) => number;
/** Where the true q-quantile lies. */
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
  /** The lag of the starts, which is the same for every figure. */
  readonly lag: () => Histogram;
}

const recorded = ({ result }: ReadResult, name: DelayName, where: LabelFilter): Histogram =>
  sumOfHistograms(
    groupsMatching(result, where).flatMap(({ delays }) =>
      delays?.[name] === undefined ? [] : [decodeHistogram(delays[name])],
    ),
  );

const delaysOf = (read: ReadResult, name: DelayName, where: LabelFilter): Histogram => {
  const found = recorded(read, name, where);
  if (found.count > 0) return found;
  const atEnds = recorded(read, 'end', where);
  // Results of earlier versions have no delays of reads, only the lag of the starts.
  return atEnds.count > 0 ? atEnds : read.lag();
};

/** What instants can be late by, except for a share of the requests split in two: recorded delays and reading errors. */
const latenessOf = (read: ReadResult, form: ErrorForm, where: LabelFilter, requests: number) => {
  const delays = delaysOf(read, form.delay, where);
  const delayQuantiles = delays.count === 0 ? () => 0 : quantilesOf(delays);
  const gaps = form.isGreatest ? distributionOf(read.result, 'gap', where).count : 0;
  const readsPerRequest = 1 + gaps / requests;
  return (ofDelays: number, ofReading: number): number =>
    delayQuantiles(1 - ofDelays / readsPerRequest) +
    read.reading.beyond(ofReading / readsPerRequest);
};

/** The bounds where the delays of each sample are known; `null` if they are not. */
const boundsBetween = (
  read: ReadResult,
  [leastName, greatestName]: readonly [DelayName, DelayName],
  where: LabelFilter,
): Bounds | null => {
  const [least, greatest] = [recorded(read, leastName, where), recorded(read, greatestName, where)];
  if (least.count === 0 || greatest.count === 0) return null;
  const [lows, highs] = [quantilesOf(least), quantilesOf(greatest)];
  return (q) => {
    let [low, high] = [0, Number.POSITIVE_INFINITY];
    for (const ofReading of shares) {
      const left = shareHit(ofReading, least.count);
      const e = read.reading.beyond(ofReading);
      if (left < q) low = Math.max(low, lows(q - left) - e);
      if (left < 1 - q || left === 0) high = Math.min(high, highs(q + left) + e);
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
    for (const ofDelays of shares) {
      const ofScale = scales === null ? 0 : ofDelays;
      const least = scales === null ? 1 : Math.max(1e-9, scales(ofScale) - (form.uncounted ?? 0));
      for (const ofReading of shares) {
        const left = ofDelays + shareHit(ofReading, histogram.count) + ofScale;
        const e = lateness(ofDelays, ofReading);
        if (!Number.isFinite(e)) continue;
        if (left < q) low = Math.max(low, shiftedFigure(form, samples(q - left), e, least).lower);
        if (left < 1 - q || left === 0)
          high = Math.min(high, shiftedFigure(form, samples(q + left), e, least).upper);
      }
    }
    return { low, high };
  };
};

/** The bounds of figures of one result. */
export interface FigureErrors {
  /** Where the true quantiles of a measure lie over the groups that `where` selects; `null` without samples or for a measure without an error. */
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
        // A late end makes a duration longer and a rate lower, never the other way.
        return form.rate === undefined
          ? { low: Math.min(low, value), high: value }
          : { low: value, high: Math.max(high, value) };
      };
    },
  };
};
