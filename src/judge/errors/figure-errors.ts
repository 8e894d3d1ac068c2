import {
  decodeHistogram,
  type Histogram,
  nearestRank,
  sumOfHistograms,
} from '../../model/measures/histogram.ts';
import { isOfFirst, type MeasureName } from '../../model/measures/measures.ts';
import type { DelayName } from '../../model/measures/read-delays.ts';
import type { Result } from '../../model/result/result.ts';
import {
  completedDistributionOf,
  distributionOf,
  groupsMatching,
  type LabelFilter,
  lagOver,
  measuredSeconds,
} from '../../model/result/summary.ts';
import type { ErrorBounds } from '../../model/result/verdict.ts';
import { likelyShare, type ReadingDelay, readingDelayOf } from './reading-delay.ts';

/**
 * This file computes how much the load generator can have changed a percentile. The load generator reads every instant
 * late, by a time E ≥ 0. E is at most the sum of two parts. The first part is the time that other work in the event
 * loop took before the read. The recorder stores this first part for each request. For durations that count from the
 * due instant, the first part includes the lag of the start. The second part is the time until the process ran at all,
 * which the self-test streams show.
 *
 * A measured duration X that ends with such a read is too long by E, so the true duration is X − E. Choose any e. Let α
 * be the share of requests with E > e, and X(q) the measured q-quantile. A true duration is below x − e only if X is
 * below x, or if E exceeds e. So the true q-quantile lies between X(q − α) − e and X(q), however X and E depend on each
 * other. A duration between two reads, such as a gap, can also be too short: its quantile lies between X(q − α) − e and
 * X(q + α) + e. Every e, with its α, gives a valid bound. Several values of e are tried, and the best bound is used.
 *
 * Example: the measured p95 is 240 ms, and no read was more than 15 ms late. The true p95 is at least 240 − 15 = 225
 * ms. If all but 1 % of the reads were at most 2 ms late, and the measured p94 is 230 ms, the true p95 is at least 230
 * − 2 = 228 ms, which is the better bound. So the true p95 lies between 228 and 240 ms.
 *
 * Both the self-test streams and the requests are only samples of the instants of a run. By chance, the share of late
 * instants can be larger than the streams show, and the share of late requests can be larger than the share of late
 * instants. So α is the largest share of late requests that is likely if both effects occur. Example: of 300 reads of
 * the streams, none was more than 0.2 ms late. Then up to 0.9 % of all instants can be more than 0.2 ms late, and so
 * can up to 2 of 100 requests.
 */

/** How an error of `e` ms in a duration changes a figure. */
interface ErrorForm {
  readonly delay: DelayName;
  /** Whether not only the end but also the start of the duration can be read late. */
  readonly isBetweenReads?: true;
  /** The measure by which the duration of each request is divided. */
  readonly per?: MeasureName;
  /** This many units of `per` or `rate` are left out, for example the first token of a stream. */
  readonly excludedUnits?: number;
  /** The measure that is divided by the duration of each request. */
  readonly rate?: MeasureName;
  /**
   * The names of two recorded distributions. One contains the least true value that each sample can have, and the other
   * contains the greatest true value. Absent if results record no such distributions.
   */
  readonly between?: readonly [DelayName, DelayName];
  /**
   * Whether the figure is the longest of a request's durations. Then a late read of any of these durations can change
   * the figure.
   */
  readonly isGreatest?: true;
}

const [fromStart, atEnd] = [{ delay: 'first' }, { delay: 'end' }] as const;

/**
 * How a late read changes each measure. The other measures contain no duration, or a duration that Weir itself decides.
 * So they have no error.
 */
const errorForms: Readonly<Partial<Record<MeasureName, ErrorForm>>> = {
  ttft: fromStart,
  ttftService: fromStart,
  firstEvent: fromStart,
  firstVisible: fromStart,
  headers: fromStart,
  connect: fromStart,
  gap: { delay: 'tokens', isBetweenReads: true, between: ['gapLow', 'gapHigh'] },
  stall: { delay: 'tokens', isBetweenReads: true, isGreatest: true },
  tpot: { delay: 'tokens', isBetweenReads: true, per: 'outputTokens', excludedUnits: 1 },
  outputSpeed: {
    delay: 'tokens',
    isBetweenReads: true,
    rate: 'outputTokens',
    excludedUnits: 1,
  },
  closing: { delay: 'end', isBetweenReads: true },
  firstAudio: fromStart,
  firstByte: fromStart,
  speechFactor: { ...atEnd, per: 'speechSeconds' },
  speakingSpeed: { ...atEnd, rate: 'characters' },
  transcriptionFactor: { ...atEnd, per: 'clipSeconds' },
  endToEnd: atEnd,
  serviceTime: atEnd,
};

/**
 * Returns the bounds of a figure whose duration may be wrong by `e` ms. `scale` is the value of the measure `per` or
 * `rate` for a request.
 */
const shiftedFigure = (
  { per, rate }: ErrorForm,
  value: number,
  e: number,
  scale: number,
): ErrorBounds => {
  if (e === 0) return { low: value, high: value };
  if (rate !== undefined) {
    const share = (e / 1000) * (value / scale);
    return { low: value / (1 + share), high: share < 1 ? value / (1 - share) : Infinity };
  }
  const error = per === undefined ? e : e / scale;
  return { low: Math.max(0, value - error), high: value + error };
};

/**
 * Returns the least number by which a request's duration is divided. A measure that leaves out the first token exists
 * only for answers of at least two tokens. So such a measure divides by at least 1, although `scale` also counts
 * shorter answers.
 */
const leastScale = ({ excludedUnits }: ErrorForm, scale: number): number =>
  excludedUnits === undefined ? Math.max(1e-9, scale) : Math.max(1, scale - excludedUnits);

/** The values of α that are tried (see the beginning of this file). */
const triedShares = [0, 0.0005, 0.002, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.1, 0.2] as const;

/**
 * Returns the largest mean reading delay that `count` requests are likely to have, in ms. Some requests may have a
 * longer reading delay than any observed instant. Such requests count with the longest observed delay.
 */
const meanReadingDelay = ({ readingDelay }: ReadResult, count: number): number => {
  let [sum, from] = [0, 0];
  for (const [i, share] of triedShares.entries()) {
    const to = Math.min(1, likelyShare(triedShares[i + 1] ?? 1, count, readingDelay));
    if (to > from) sum += (to - from) * readingDelay.beyond(share);
    from = to;
  }
  return sum;
};

type Bounds = (q: number) => ErrorBounds;

const quantilesOf = (histogram: Histogram): ((q: number) => number) => {
  const { count } = histogram;
  const known = new Map<number, number>();
  return (q) => {
    const rank = nearestRank(count, q);
    const found = known.get(rank) ?? histogram.atRank(rank);
    known.set(rank, found);
    return found;
  };
};

interface ReadResult {
  readonly result: Result;
  readonly readingDelay: ReadingDelay;
  readonly lag: () => Histogram;
}

const recordedDelays = (
  { result }: ReadResult,
  where: LabelFilter,
  ...names: readonly DelayName[]
): Histogram =>
  sumOfHistograms(
    groupsMatching(result, where).flatMap(({ delays }) =>
      names.flatMap((name) => (delays?.[name] === undefined ? [] : decodeHistogram(delays[name]))),
    ),
  );

const delaysOf = (
  read: ReadResult,
  where: LabelFilter,
  ...names: readonly DelayName[]
): Histogram => {
  const found = recordedDelays(read, where, ...names);
  if (found.count > 0) return found;
  const atEnds = recordedDelays(read, where, 'end');
  // Results of earlier versions of Weir record no delays. For such results, the lag of the starts is used instead.
  return atEnds.count > 0 ? atEnds : read.lag();
};

interface Measured {
  readonly histogram: Histogram;
  readonly delays: Histogram;
}

/**
 * Creates a function that returns the maximum lateness of a read, in ms, after the latest requests are excluded. The
 * share `ofDelays` of the requests is excluded for their recorded delays, and the share `ofReading` for the delays of
 * the machine.
 */
const latenessOf = (
  read: ReadResult,
  form: ErrorForm,
  where: LabelFilter,
  { histogram: { count: requests }, delays }: Measured,
) => {
  const delayQuantiles = delays.count === 0 ? () => 0 : quantilesOf(delays);
  const gaps = form.isGreatest ? distributionOf(read.result, 'gap', where).count : 0;
  const readsPerRequest = 1 + gaps / requests;
  return (ofDelays: number, ofReading: number): number =>
    delayQuantiles(1 - ofDelays / readsPerRequest) +
    read.readingDelay.beyond(ofReading / readsPerRequest);
};

/**
 * Returns the number of independent gaps of a run: all gaps divided by the mean number of concurrent streams. Streams
 * of a batch can send tokens at the same instants, so one late read can delay one gap of each stream.
 */
const independentGaps = ({ result }: ReadResult, gaps: Histogram): number => {
  const measured = 1000 * measuredSeconds(result, result.timeline).length;
  const streamsAtATime = measured === 0 ? 1 : Math.max(1, gaps.sum / measured);
  return gaps.count / streamsAtATime;
};

/** Returns the bounds from the recorded least and greatest value of each sample; `null` if none were recorded. */
const boundsBetween = (
  read: ReadResult,
  [leastName, greatestName]: readonly [DelayName, DelayName],
  where: LabelFilter,
): Bounds | null => {
  const [least, greatest] = [
    recordedDelays(read, where, leastName),
    recordedDelays(read, where, greatestName),
  ];
  if (least.count === 0 || greatest.count === 0) return null;
  const [lows, highs] = [quantilesOf(least), quantilesOf(greatest)];
  const samples = independentGaps(read, greatest);
  return (q) => {
    let [low, high] = [0, Number.POSITIVE_INFINITY];
    for (const ofReading of triedShares) {
      const excluded = likelyShare(ofReading, samples, read.readingDelay);
      const e = read.readingDelay.beyond(ofReading);
      if (excluded < q) low = Math.max(low, lows(q - excluded) - e);
      if (excluded < 1 - q || ofReading === 0) high = Math.min(high, highs(q + excluded) + e);
    }
    return { low, high };
  };
};

const boundsByLateness = (
  read: ReadResult,
  form: ErrorForm,
  measured: Measured,
  where: LabelFilter,
): Bounds => {
  const { histogram } = measured;
  const samples = quantilesOf(histogram);
  const lateness = latenessOf(read, form, where, measured);
  const scaledBy = form.per ?? form.rate;
  const scale = scaledBy === undefined ? null : distributionOf(read.result, scaledBy, where);
  if (scale?.count === 0) return () => ({ low: 0, high: Number.POSITIVE_INFINITY });
  const scales = scale === null ? null : quantilesOf(scale);
  return (q) => {
    let [low, high] = [0, Number.POSITIVE_INFINITY];
    for (const ofDelays of triedShares) {
      const ofScale = scales === null ? 0 : ofDelays;
      const least = scales === null ? 1 : leastScale(form, scales(ofScale));
      for (const ofReading of triedShares) {
        const excluded =
          ofDelays + likelyShare(ofReading, histogram.count, read.readingDelay) + ofScale;
        const e = lateness(ofDelays, ofReading);
        if (!Number.isFinite(e)) continue;
        if (excluded < q)
          low = Math.max(low, shiftedFigure(form, samples(q - excluded), e, least).low);
        if (excluded < 1 - q || ofDelays + ofReading === 0)
          high = Math.min(high, shiftedFigure(form, samples(q + excluded), e, least).high);
      }
    }
    return { low, high };
  };
};

/**
 * Returns the bounds of a true mean. A late read makes a duration too long, so the true mean is below the measured
 * mean, by at most the mean delay. A gap lies between two reads, so the mean gap can be too long or too short. Returns
 * `null` for rates, and for times between two reads other than gaps, since no recorded delay bounds their mean error.
 */
const boundsOfMean = (
  read: ReadResult,
  measure: MeasureName,
  where: LabelFilter,
): ErrorBounds | null => {
  const form = errorForms[measure];
  const { count, mean } = completedDistributionOf(read.result, measure, where);
  if (form === undefined || mean === null) return null;
  const reading = meanReadingDelay(read, count);
  const [least, greatest] = (form.between ?? []).map((name) => recordedDelays(read, where, name));
  if (typeof least?.mean === 'number' && typeof greatest?.mean === 'number') {
    const [low, high] = [Math.max(0, least.mean - reading), greatest.mean + reading];
    return { low: Math.min(mean, low), high: Math.max(mean, high) };
  }
  if (form.isBetweenReads || form.rate !== undefined) return null;
  const late = (delaysOf(read, where, form.delay).mean ?? 0) + reading;
  const scales = form.per && completedDistributionOf(read.result, form.per, where);
  return { low: Math.max(0, mean - late / (scales?.atRank(1) ?? 1)), high: mean };
};

export interface FigureErrors {
  /** Returns the bounds of a measure in the selected groups; `null` if the measure has no samples or no error. */
  readonly boundsOf: (measure: MeasureName, where: LabelFilter) => Bounds | null;
  /**
   * Returns the bounds of a measure as `boundsOf` does, but without answers that failed after their first token or
   * audio.
   */
  readonly boundsOfCompleted: (measure: MeasureName, where: LabelFilter) => Bounds | null;
  /**
   * Returns the bounds of a mean of completed requests; `null` if the mean has no samples, no error or no known bound.
   */
  readonly boundsOfMean: (measure: MeasureName, where: LabelFilter) => ErrorBounds | null;
}

const makeFigureErrors = (result: Result): FigureErrors => {
  let lag: Histogram | null = null;
  const read: ReadResult = {
    result,
    readingDelay: readingDelayOf(result),
    lag: () => (lag ??= lagOver(measuredSeconds(result, result.timeline))),
  };
  const boundsFor =
    (distribution: typeof distributionOf, ...further: readonly DelayName[]) =>
    (measure: MeasureName, where: LabelFilter): Bounds | null => {
      const form = errorForms[measure];
      if (form === undefined) return null;
      const histogram = distribution(result, measure, where);
      if (histogram.count === 0) return null;
      const values = quantilesOf(histogram);
      const names = isOfFirst(measure) ? [form.delay, ...further] : [form.delay];
      const bounds =
        (form.between && boundsBetween(read, form.between, where)) ??
        boundsByLateness(read, form, { histogram, delays: delaysOf(read, where, ...names) }, where);
      return (q) => {
        const value = values(q);
        const { low, high } = bounds(q);
        if (form.isBetweenReads) return { low: Math.min(low, value), high: Math.max(high, value) };
        // A late read of the end makes a duration longer and a rate lower, never the reverse. So one bound is the value
        // itself.
        return form.rate === undefined
          ? { low: Math.min(low, value), high: value }
          : { low: value, high: Math.max(high, value) };
      };
    };
  return {
    boundsOf: boundsFor(distributionOf, 'firstOfPartial'),
    boundsOfCompleted: boundsFor(completedDistributionOf),
    boundsOfMean: (measure, where) => boundsOfMean(read, measure, where),
  };
};

type Read = Pick<Result, 'slices' | 'timeline'> & { readonly warmUp: number };

const known = new WeakMap<Result['groups'], { readonly of: Read; readonly errors: FigureErrors }>();

/**
 * Returns the errors of a result's figures. The errors are computed once for all copies of a result, such as the copy
 * with verdicts.
 */
export const figureErrorsOf = (result: Result): FigureErrors => {
  const { groups, slices, timeline } = result;
  const { warmUp } = result.plan;
  const found = known.get(groups);
  const of = found?.of;
  if (of?.slices === slices && of.timeline === timeline && of.warmUp === warmUp)
    return found!.errors;
  const errors = makeFigureErrors(result);
  known.set(groups, { of: { slices, timeline, warmUp }, errors });
  return errors;
};
