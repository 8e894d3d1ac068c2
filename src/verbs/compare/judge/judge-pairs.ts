import { likelyShare, type ReadingDelay } from '../../../judge/errors/reading-delay.ts';
import { nearestRank } from '../../../model/measures/histogram.ts';
import type { OutcomeKind } from '../../../model/observation/outcome.ts';
import type { PairedFigure, PairedMeasure, PairsReport } from '../model/pairs.ts';
import { mayFailMore, pairedMeasures } from '../model/pairs.ts';
import {
  failuresOf,
  orderEffectOf,
  type PairedEstimate,
  type PairedTimes,
  pairDifference,
  quantileOfDifferences,
  shareWithin,
  shiftOfQuantile,
} from './paired-quantiles.ts';

/**
 * A time of one request, in ms. `over` and `under` say by how many ms the event loop may have made this time too long
 * or too short.
 */
export interface ReadTime {
  readonly value: number;
  readonly over: number;
  readonly under: number;
  /** The number of tokens by which the time was divided. */
  readonly per: number;
}

/**
 * One request of a pair. The status is `unknown` if this machine did not send the request, or did not wait for the end.
 */
export interface PairedRequest {
  readonly outcome: OutcomeKind;
  readonly status: 'completed' | 'failed' | 'unknown';
  readonly times: Readonly<Partial<Record<PairedMeasure, ReadTime>>>;
}

export interface RequestPair {
  readonly second: number;
  /** Whether the new side got the first request. */
  readonly nextFirst: boolean;
  readonly base: PairedRequest;
  readonly next: PairedRequest;
}

export interface PairsFacts {
  readonly pairs: readonly RequestPair[];
  /** The number of whole seconds in which pairs were due. */
  readonly seconds: number;
  readonly reading: ReadingDelay;
  /** At each percentile `q`, the new side may add at most `most` ms. */
  readonly limits: readonly { readonly q: number; readonly most: number }[];
  /** The largest lateness of the reference gateway itself, in ms; 0 if no side is the reference gateway. */
  readonly mockError: number;
}

const quantiles = [0.5, 0.95, 0.99] as const;
const keptWithin = [1, 5, 10, 50, 100] as const;
const triedShares = [0, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1] as const;

interface MeasuredPair extends PairedTimes {
  readonly nextFirst: boolean;
  readonly late: { readonly less: number; readonly more: number; readonly per: number } | null;
}

const timeOf = ({ status, times }: PairedRequest, measure: PairedMeasure): number | null => {
  if (status === 'failed') return Number.POSITIVE_INFINITY;
  return status === 'unknown' ? null : (times[measure]?.value ?? null);
};

const hasNoTime = ({ status, times }: PairedRequest, measure: PairedMeasure): boolean =>
  status === 'completed' && times[measure] === undefined;

/**
 * Returns the pairs of a measure. A pair is left out if neither answer has a time for the measure: an answer of one
 * token, for example, has no time between tokens. If only one of the two answers has no time, the pair is unknown.
 */
const measuredPairs = (
  pairs: readonly RequestPair[],
  measure: PairedMeasure,
): readonly MeasuredPair[] =>
  pairs
    .filter(({ base, next }) => !hasNoTime(base, measure) || !hasNoTime(next, measure))
    .map(({ second, nextFirst, base, next }) => {
      const [a, b] = [base.times[measure], next.times[measure]];
      return {
        second,
        nextFirst,
        base: timeOf(base, measure),
        next: timeOf(next, measure),
        late:
          a === undefined || b === undefined
            ? null
            : { less: b.over + a.under, more: a.over + b.under, per: Math.min(a.per, b.per) },
      };
    });

const atLevel = (sorted: Float64Array, q: number): number =>
  sorted[nearestRank(sorted.length, q) - 1]!;

interface Bounds {
  readonly low: number | null;
  readonly high: number | null;
}

/**
 * Returns the bounds of the true percentile of the differences, given this machine's late reads. The wait in the event
 * loop is known for each recorded time. The wait outside the event loop comes from the self-test streams, which are a
 * sample (`judge/errors`).
 */
const boundsByReads = (
  pairs: readonly MeasuredPair[],
  q: number,
  reading: ReadingDelay,
): Bounds => {
  const known = pairs.filter(({ late }) => late !== null);
  if (known.length === 0) return { low: null, high: null };
  const differences = known.map((pair) => pairDifference(pair) ?? 0);
  const least = Float64Array.from(known, ({ late }, i) => differences[i]! - late!.less).sort();
  const most = Float64Array.from(known, ({ late }, i) => differences[i]! + late!.more).sort();
  const per = Math.max(1, Math.min(...known.map(({ late }) => late!.per)));
  let [low, high] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const share of triedShares) {
    const excluded = likelyShare(share, known.length, reading);
    const outside = reading.beyond(share) / per;
    if (excluded < q) low = Math.max(low, atLevel(least, q - excluded) - outside);
    if (excluded < 1 - q || share === 0)
      high = Math.min(high, atLevel(most, Math.min(1, q + excluded)) + outside);
  }
  return {
    low: Number.isFinite(low) ? low : null,
    high: Number.isFinite(high) ? high : null,
  };
};

const sum = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? null : a + b;

/** Widens an interval by the machine's error: the lower end by `below`, and the upper end by `above`. */
const widened = <Estimate extends PairedEstimate>(
  estimate: Estimate,
  below: number | null,
  above: number | null,
): Estimate => {
  const down = below === null ? null : -below;
  const { low, high, outer } = estimate;
  return {
    ...estimate,
    low: sum(low, down),
    high: sum(high, above),
    outer: { low: sum(outer.low, down), high: sum(outer.high, above) },
  };
};

const isApartFrom0 = ({ low, high }: Bounds): boolean =>
  (low !== null && low > 0) || (high !== null && high < 0);

const medianOf = (values: readonly number[]): number | null =>
  values.length === 0 ? null : atLevel(Float64Array.from(values).sort(), 0.5);

const figureOf = (
  { pairs: all, seconds, reading, mockError }: PairsFacts,
  measure: PairedMeasure,
): PairedFigure | null => {
  const pairs = measuredPairs(all, measure);
  const complete = pairs.filter(({ late }) => late !== null);
  if (complete.length === 0) return null;
  const errorAt = (q: number) => {
    const { value } = quantileOfDifferences(complete, q);
    const { low, high } = boundsByReads(pairs, q, reading);
    return {
      below: value === null || low === null ? null : Math.max(0, value - low),
      above: value === null || high === null ? null : Math.max(0, high - value),
      low,
      high,
    };
  };
  const errors = new Map(quantiles.map((q) => [q, errorAt(q)] as const));
  const plain = quantiles.map((q) => quantileOfDifferences(pairs, q));
  const withError = <E extends PairedEstimate>(estimate: E, q: (typeof quantiles)[number]): E =>
    widened(estimate, errors.get(q)!.below, errors.get(q)!.above);
  const differences = plain.map((each, i) => withError(each, quantiles[i]!));
  const [median] = differences;
  const byMachine = isApartFrom0(plain[0]!) && !isApartFrom0(median!);
  const byMock =
    mockError > 0 && isApartFrom0(median!) && Math.abs(median!.value ?? 0) <= mockError;
  const times = (side: 'base' | 'next') =>
    medianOf(all.flatMap((pair) => pair[side].times[measure]?.over ?? []));
  const { low, high } = errors.get(0.5)!;
  return {
    measure,
    pairs: complete.length,
    differences,
    shifts: quantiles.map((q) => withError(shiftOfQuantile(pairs, q), q)),
    kept: keptWithin.map((within) => {
      const share = shareWithin(pairs, within);
      return { within, share, perSecond: ((share.value ?? 0) * pairs.length) / seconds };
    }),
    order: orderEffectOf(pairs),
    error: { base: times('base'), next: times('next'), difference: { low, high } },
    boundBy: byMachine ? 'this machine' : byMock ? 'the mock' : null,
  };
};

/**
 * Returns the figure that a limit bounds: the median of the differences, or, in the tail, the shift of a percentile.
 */
const judgedEstimate = (
  figure: PairedFigure | undefined,
  q: number,
): PairedFigure['differences'][number] | undefined =>
  (q === 0.5 ? figure?.differences : figure?.shifts)?.find((each) => each.q === q);

/** Judges a limit. A limit is never kept if the upper end of its interval is unknown. */
const judgeLimit = (
  figure: PairedFigure | undefined,
  q: number,
  most: number,
): PairsReport['limits'][number] => {
  const outer = judgedEstimate(figure, q)?.outer ?? { low: null, high: null };
  if (outer.low !== null && outer.low > most) return { q, most, verdict: 'worse' };
  const isKept = outer.high !== null && outer.high <= most;
  return { q, most, verdict: isKept ? 'within' : 'undecided' };
};

/**
 * Returns the verdict if there is no limit. The verdict is undecided if a difference is likely but not sure, or if two
 * differences have opposite directions.
 */
const verdictOnTimes = (figure: PairedFigure | undefined): PairsReport['verdict'] => {
  const judged = [judgedEstimate(figure, 0.5), judgedEstimate(figure, 0.95)];
  if (judged[0]?.low === null || judged[0]?.high === null || judged[0] === undefined)
    return 'undecided';
  const mayAdd = judged.some((each) => (each?.low ?? 0) > 0);
  const maySave = judged.some((each) => (each?.high ?? 0) < 0);
  if (!mayAdd && !maySave) return 'no difference';
  const outers = judged.map((each) => each?.outer);
  if (!maySave && outers.some((outer) => (outer?.low ?? 0) > 0)) return 'adds';
  if (!mayAdd && outers.some((outer) => (outer?.high ?? 0) < 0)) return 'saves';
  return 'undecided';
};

const verdictOf = (
  figure: PairedFigure | undefined,
  limits: PairsReport['limits'],
  failures: PairsReport['failures'],
): PairsReport['verdict'] => {
  if (failures.added.outer.low !== null && failures.added.outer.low > 0) return 'fails more';
  for (const worst of ['worse', 'undecided'] as const)
    if (limits.some(({ verdict }) => verdict === worst)) return worst;
  // A limit must not pass if the share of failures is unknown.
  if (failures.added.high === null && limits.length > 0) return 'undecided';
  // An outage is one event, so the interval of its failures seldom excludes 0. Such failures must not count as “no
  // difference”.
  if (mayFailMore(failures)) return 'undecided';
  return limits.length > 0 ? 'within' : verdictOnTimes(figure);
};

/** Judges what the new side adds to the base. */
export const judgePairs = (
  facts: PairsFacts,
): Pick<PairsReport, 'pairs' | 'failures' | 'figures' | 'limits' | 'verdict'> => {
  const { pairs } = facts;
  const whole = pairs.map(({ second, base, next }) => ({
    second,
    base: base.status === 'unknown' ? null : base.status === 'failed' ? Infinity : 0,
    next: next.status === 'unknown' ? null : next.status === 'failed' ? Infinity : 0,
  }));
  const unknown = whole.filter(({ base, next }) => base === null || next === null).length;
  const failures = { ...failuresOf(whole), unknown };
  const figures = pairedMeasures.flatMap((measure) => figureOf(facts, measure) ?? []);
  const [first] = figures;
  const limits = facts.limits.map(({ q, most }) => judgeLimit(first, q, most));
  return {
    pairs: pairs.length,
    failures,
    figures,
    limits,
    verdict: verdictOf(first, limits, failures),
  };
};
