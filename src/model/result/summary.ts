import type {
  Group,
  Labels,
  OutcomeCounts,
  TimelineMeasure,
  TimelineSecond,
} from '../measures/counts.ts';
import {
  decodeHistogram,
  type Digits,
  emptyHistogram,
  type EncodedHistogram,
  type Histogram,
  nearestRank,
  sumOfHistograms,
} from '../measures/histogram.ts';
import {
  isOfFirst,
  isTimeOfEachRequest,
  type MeasureName,
  measureNames,
  measures,
} from '../measures/measures.ts';
import { countArrivals, countFailed, sumAwaited } from '../measures/outcome-counts.ts';
import { quantile, type Quantile } from '../measures/quantile.ts';
import { type Dependence, independence } from '../measures/dependence.ts';
import { endsWithAnswers, ratedSeconds } from '../plan/stage-spans.ts';
import type { Result } from './result.ts';
import { dependenceAt, type RunPart, secondsAt } from './run-dependence.ts';
import { type TrafficKind, trafficKinds } from '../workload/traffic.ts';

export type LabelFilter = (labels: Labels) => boolean;

export const outsideWarmUp: LabelFilter = (labels) => !labels.warmUp;

export const groupsMatching = (result: Result, where: LabelFilter): readonly Group[] =>
  result.groups.filter((group) => where(group.labels));

/** Decodes and adds one part after another, because all decoded parts of a long run together would fill the memory. */
const sumOfDecoded = (
  parts: readonly (EncodedHistogram | undefined)[],
  digits?: Digits,
): Histogram => {
  const whole = emptyHistogram(digits);
  for (const part of parts) if (part !== undefined) whole.add(decodeHistogram(part));
  return whole;
};

type FiguresByMeasure = Map<MeasureName, MeasuredFigures>;

/** The cached figures of a result. */
interface Known {
  readonly parts: Map<string, RunPart>;
  readonly figures: WeakMap<LabelFilter, FiguresByMeasure>;
}

/** The fields of a result from which figures are computed. */
type Counted = Pick<Result, 'groups' | 'timeline' | 'plan' | 'scheduled'>;

const knownCounts = new WeakMap<readonly Group[], (readonly [Counted, Known])[]>();

/**
 * Returns the cached figures of a result. Results with the same counts, such as copies with other verdicts, share them.
 */
const knownOf = ({ groups, timeline, plan, scheduled }: Result): Known => {
  const all = knownCounts.get(groups) ?? [];
  knownCounts.set(groups, all);
  const [, found] =
    all.find(
      ([each]) => each.timeline === timeline && each.plan === plan && each.scheduled === scheduled,
    ) ?? [];
  if (found !== undefined) return found;
  const known: Known = { parts: new Map(), figures: new WeakMap() };
  all.push([{ groups, timeline, plan, scheduled }, known]);
  return known;
};

/**
 * Returns the part of the timeline to which some groups belong: the seconds and the kinds of traffic. Equal parts are
 * the same object, so all figures of a part read the timeline only once.
 */
export const runPartOf = (result: Result, groups: readonly Group[]): RunPart => {
  const { plan, scheduled } = result;
  const stages = new Set(groups.map(({ labels }) => labels.stage));
  const isWhole = plan.stages.every(({ name }) => stages.has(name));
  const kinds = trafficKinds.filter((kind) => groups.some(({ labels }) => labels.traffic === kind));
  const key = JSON.stringify([kinds, isWhole ? null : [...stages].toSorted()]);
  const { parts } = knownOf(result);
  const part = parts.get(key) ?? {
    kinds,
    seconds: secondsAt(result, ratedSeconds(plan, scheduled, isWhole ? null : [...stages])),
  };
  parts.set(key, part);
  return part;
};

/**
 * Returns how many failed arrivals count as infinite samples of a measure. If only a share of the completed requests
 * has a sample, the same share of the failed arrivals counts.
 */
export const failuresBeside = (samples: number, outcomes: OutcomeCounts): number => {
  const failed = countFailed(outcomes);
  if (outcomes.completed === 0) return failed;
  return Math.round(failed * Math.min(1, samples / outcomes.completed));
};

/** Returns the samples of a measure from answers that failed later; `undefined` without such answers. */
const partialsOf = ({ partials }: Group, measure: MeasureName): EncodedHistogram | undefined =>
  isOfFirst(measure) ? partials?.[measure] : undefined;

export const completedDistributionOf = (
  result: Result,
  measure: MeasureName,
  where: LabelFilter,
): Histogram =>
  sumOfDecoded(groupsMatching(result, where).map((group) => group.distributions[measure]));

/**
 * Returns the distribution of a measure over all selected groups. The distribution of a time to a first token or audio
 * includes answers that failed later.
 */
export const distributionOf = (
  result: Result,
  measure: MeasureName,
  where: LabelFilter,
): Histogram =>
  sumOfDecoded(
    groupsMatching(result, where).flatMap((group) => [
      group.distributions[measure],
      partialsOf(group, measure),
    ]),
  );

export interface MeasuredQuantile extends Quantile {
  /**
   * The share of the arrivals that have the measure. Present only if failures matter: if the percentile over all
   * arrivals, where a failure is infinite, lies above this percentile's confidence interval.
   */
  readonly ofShare?: number;
}

/** The figures of a measure over some groups. Each percentile is computed at its first use. */
export class MeasuredFigures {
  readonly count: number;
  readonly mean: number | null;
  readonly max: number | null;
  readonly histogram: Histogram;
  readonly #percentiles = new Map<number, MeasuredQuantile | null>();

  readonly #dependenceAt: (q: number) => Dependence | null;
  readonly #completedShare: number;

  constructor(
    histogram: Histogram,
    dependenceAtQuantile: (q: number) => Dependence | null = () => independence,
    completedShare = 1,
  ) {
    this.histogram = histogram;
    this.#dependenceAt = dependenceAtQuantile;
    this.#completedShare = completedShare;
    this.count = histogram.count;
    this.mean = histogram.mean;
    this.max = histogram.max;
  }

  /** Returns the percentile for a share such as 0.95; `null` without samples. */
  percentile(q: number): MeasuredQuantile | null {
    const known = this.#percentiles.get(q);
    if (known !== undefined) return known;
    const ofCompleted = quantile(this.histogram, q, this.#dependenceAt(q));
    const ofShare = this.#completedShare;
    const found =
      ofCompleted !== null && this.#isMoved(ofCompleted)
        ? { ...ofCompleted, ofShare }
        : ofCompleted;
    this.#percentiles.set(q, found);
    return found;
  }

  /** Returns whether failures move a percentile out of its interval. */
  #isMoved({ q, value, low, high }: Quantile): boolean {
    const level = q / this.#completedShare;
    if (level <= q + 1e-9 || level > 1 + 1e-9) return level > q + 1e-9;
    const ofAll = this.histogram.atRank(nearestRank(this.count, Math.min(1, level)));
    return ofAll > (high ?? (low === null ? value : Number.POSITIVE_INFINITY));
  }
}

/**
 * Returns the share of arrivals that have a measure. These arrivals completed, or failed after the measured time. Only
 * arrivals of traffic kinds that can have the measure count.
 */
const measuredShareOf = (groups: readonly Group[], measure: MeasureName): number => {
  const own = groups.filter(({ labels }) => measures[measure].traffic.includes(labels.traffic));
  const outcomes = sumAwaited(own);
  const partials = own.reduce((sum, group) => sum + (partialsOf(group, measure)?.count ?? 0), 0);
  return (outcomes.completed + partials) / Math.max(1, countArrivals(outcomes));
};

/** Returns the figures of a measure over all selected groups. The figures are cached for each result and filter. */
export const figuresOver = (
  result: Result,
  measure: MeasureName,
  where: LabelFilter,
): MeasuredFigures => {
  const ofResult = knownOf(result).figures;
  const ofFilter = ofResult.get(where) ?? new Map<MeasureName, MeasuredFigures>();
  ofResult.set(where, ofFilter);
  const known = ofFilter.get(measure);
  if (known !== undefined) return known;
  const groups = groupsMatching(result, where);
  const part = runPartOf(result, groups);
  const figures = new MeasuredFigures(
    distributionOf(result, measure, where),
    (q) => dependenceAt(part, measure, q),
    isTimeOfEachRequest(measure) ? measuredShareOf(groups, measure) : 1,
  );
  ofFilter.set(measure, figures);
  return figures;
};

/** Returns the measures that have samples in the selected groups, in the order of the table of measures. */
export const measuresPresent = (result: Result, where: LabelFilter): readonly MeasureName[] => {
  const groups = groupsMatching(result, where);
  return measureNames.filter((name) =>
    groups.some(
      (group) => (group.distributions[name]?.count ?? partialsOf(group, name)?.count ?? 0) > 0,
    ),
  );
};

/** Returns the distribution of a measure over some seconds, with two digits. */
export const latencyOver = (
  seconds: readonly TimelineSecond[],
  kind: TrafficKind,
  measure: TimelineMeasure,
): Histogram =>
  sumOfDecoded(
    seconds.map(({ latency }) => latency[kind]?.[measure]),
    2,
  );

export const lagOver = (seconds: readonly TimelineSecond[]): Histogram =>
  sumOfHistograms(
    trafficKinds.map((kind) => latencyOver(seconds, kind, 'lag')),
    2,
  );

/** Returns the indexes of the missing slices. A run with missing slices is incomplete. */
export const missingSlices = ({ slices }: Result): readonly number[] => {
  const present = new Set(slices.map(({ index }) => index));
  return Array.from({ length: slices[0]?.count ?? 0 }, (_, index) => index).filter(
    (index) => !present.has(index),
  );
};

/** Returns the first whole second after the warm-up. */
export const firstMeasuredSecond = ({ plan }: Pick<Result, 'plan'>): number =>
  Math.ceil(plan.warmUp / 1000);

/** Returns the seconds after the warm-up. If no second comes after the warm-up, returns all seconds. */
export const measuredSeconds = <T extends { readonly second: number }>(
  result: Pick<Result, 'plan'>,
  seconds: readonly T[],
): readonly T[] => {
  const first = firstMeasuredSecond(result);
  const kept = seconds.filter(({ second }) => second >= first);
  return kept.length === 0 ? seconds : kept;
};

/** The time over which rates are computed: from the end of the warm-up to the end of the load. */
export interface MeasuredWindow {
  /** The length of the window. It is a whole number unless the load ended with the last answer. */
  readonly seconds: number;
  readonly timeline: readonly TimelineSecond[];
}

/** Returns whether the load had a fixed number of requests and ended with the last answer. */
const endedWithAnswers = ({ plan, scheduled, ended }: Result): boolean =>
  endsWithAnswers(plan) && ended > 0 && ended <= scheduled;

/** Returns the time from the end of the warm-up to the end of the load, in seconds; `null` if less than one second. */
export const measuredTime = ({ scheduled, plan }: Result): number | null => {
  const seconds = (scheduled - plan.warmUp) / 1000;
  return seconds < 1 ? null : seconds;
};

/**
 * Returns the window for rates. Returns `null` if the window is shorter than a second, because such a run has no rates.
 * The window leaves out the fraction of a second at the end. If the load ended with the last answer, the window
 * includes this fraction, because every arrival may have completed in the fraction.
 */
export const measuredWindow = (result: Result): MeasuredWindow | null => {
  const from = firstMeasuredSecond(result);
  const end = result.scheduled / 1000;
  const to = endedWithAnswers(result) ? end : Math.floor(end);
  if (to - from < 1) return null;
  return {
    seconds: to - from,
    timeline: result.timeline.filter(({ second }) => second >= from && second < to),
  };
};
