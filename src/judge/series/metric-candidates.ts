import { type ComparedMetric, comparisonRules } from '../../model/series/compared-metric.ts';
import { type MeasureName, measures } from '../../model/measures/measures.ts';
import { countArrivals, countFailed, sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { quantile, wilsonInterval } from '../../model/measures/quantile.ts';
import { halfWidthOfRatio } from '../../model/measures/dependence.ts';
import { allCompletedDueIn, dependenceOfArrivals } from '../../model/result/run-dependence.ts';
import type { Result } from '../../model/result/result.ts';
import {
  figuresOver,
  firstMeasuredSecond,
  groupsMatching,
  type LabelFilter,
  measuredWindow,
  outsideWarmUp,
  runPartOf,
} from '../../model/result/summary.ts';
import type { Share } from '../../model/measures/share.ts';
import { figureErrorsOf } from '../errors/figure-errors.ts';
import { geometricMean, meanOf } from '../statistics/significance.ts';
import { reportedQuantiles, slowQuantile, percentileName } from '../../model/measures/headline.ts';
import {
  comparedPercentiles,
  isHeadlineFigure,
  type Percentile,
  percentileOf,
  type Total,
  totals,
} from './gates.ts';
import type { Repetition } from './repetition.ts';
import {
  type Both,
  histogramsOf,
  labelsOfStream,
  onBoth,
  type TrafficStream,
  trafficStreamsOf,
} from './traffic-streams.ts';

type MetricLabels = Pick<
  ComparedMetric,
  'id' | 'traffic' | 'model' | 'name' | 'label' | 'unit' | 'better'
>;

/** A 95 % interval. An end is `null` if there are too few samples to determine it. */
interface Interval {
  readonly low: number | null;
  readonly high: number | null;
}

interface Candidate {
  readonly labels: MetricLabels;
  readonly gated: boolean;
  /**
   * Whether the metric is a headline figure. Two sides are called the same only if their gated headline figures are the
   * same.
   */
  readonly headline: boolean;
  readonly remark: string | null;
  /** Returns the interval of the figure within one run; `null` if the run is too short. */
  readonly intervalWithin: (result: Result) => Interval | null;
}

export interface RatioCandidate extends Candidate, Both<readonly number[]> {
  readonly scale: 'ratio';
  /**
   * The smallest relevant change, as a share of the base. `floor` is the least amount of a relevant change, in the
   * metric's unit.
   */
  readonly effect: number;
  readonly floor: number;
  /**
   * The true figure can differ from the observed figure by this share. The larger the share, the larger is the smallest
   * relevant change.
   */
  readonly error: number;
}

export interface ShareCandidate extends Candidate, Both<readonly Share[]> {
  readonly scale: 'difference';
}

export type MetricCandidate = RatioCandidate | ShareCandidate;

const { latencyEffect, throughputEffect, latencyFloor, tokenFloor } = comparisonRules;

const floorOf = (measure: MeasureName): number => {
  if (measures[measure].unit !== 'ms') return 0;
  // The floor of other times is 5 ms. This is too high for a time per token, which is typically 20 ms.
  return measure === 'gap' || measure === 'tpot' ? tokenFloor : latencyFloor;
};

const ratioCandidates = (
  candidate: Pick<
    RatioCandidate,
    'labels' | 'gated' | 'headline' | 'effect' | 'floor' | 'error' | 'intervalWithin'
  >,
  values: Both<readonly (number | null)[]>,
  remarks: readonly string[],
): readonly RatioCandidate[] => {
  const found = onBoth(values, (side) => side.filter((value) => value !== null));
  if (found.base.length + found.next.length === 0) return [];
  const missingNotes = (['base', 'next'] as const).flatMap((side) => {
    const count = values[side].length - found[side].length;
    const name = side === 'base' ? 'base' : 'new';
    return count === 0
      ? []
      : [`${count} of the ${name} runs ${count === 1 ? 'has' : 'have'} no value`];
  });
  const remark = [...remarks, ...missingNotes].join('; ') || null;
  return [{ ...candidate, scale: 'ratio', ...found, remark }];
};

const resultsOf = (runs: Both<readonly Repetition[]>): Both<readonly Result[]> =>
  onBoth(runs, (side) => side.map(({ result }) => result));

/** Returns the default percentiles of the traffic kind and the percentiles that were requested. */
const percentileCandidates = (
  runs: Both<readonly Repetition[]>,
  stream: TrafficStream,
  gates: readonly string[] | null,
): readonly RatioCandidate[] => {
  const { gated, shown } = comparedPercentiles[stream.traffic];
  const defaultNames: readonly string[] = [...gated, ...shown];
  const requestedNames = (gates ?? []).filter((name) => !defaultNames.includes(name));
  const gatedNames: readonly string[] = gates ?? gated;
  return [...defaultNames, ...requestedNames].flatMap((name) => {
    const { measure, q = 0 } = percentileOf(name) ?? {};
    if (measure === undefined || !measures[measure].traffic.includes(stream.traffic)) return [];
    const found = onBoth(resultsOf(runs), (side) =>
      histogramsOf(side, stream, measure).map((histogram) => {
        const percentile = quantile(histogram, q);
        // A value of 0 has no logarithm, so it cannot be compared.
        return percentile === null || percentile.value <= 0 ? null : percentile;
      }),
    );
    const isWeak = [...found.base, ...found.next].some((each) => each?.weak);
    const minSamples = Math.round(10 / Math.min(q, 1 - q));
    const { short, unit, better } = measures[measure];
    const id = [stream.traffic, stream.model, name].filter((word) => word !== null).join(' ');
    const label = `${short} ${percentileName(q)}`;
    return ratioCandidates(
      {
        labels: { id, ...stream, name, label, unit, better },
        gated: gatedNames.includes(name) && (gates !== null || !isWeak),
        headline: gates !== null || isHeadlineFigure(stream.traffic, { measure, q }),
        effect: better === 'higher' ? throughputEffect : latencyEffect,
        floor: floorOf(measure),
        error: errorOf(runs, stream.traffic, { measure, q }),
        intervalWithin: (result) =>
          figuresOver(result, measure, labelsOfStream(stream)).percentile(q),
      },
      onBoth(found, (side) => side.map((each) => each?.value ?? null)),
      isWeak ? [`fewer than ${minSamples.toLocaleString('en-US')} samples in a run`] : [],
    );
  });
};

/** An unbounded error counts as this factor, since no figure is expected to change by a larger factor. */
const largestFactor = 11;

/**
 * Returns the value and the bounds of a percentile that reports do not print; `null` for a percentile that reports
 * print, or if no bounds are known. The verdict on trust contains no error for the returned percentile.
 */
const unreportedFigure = (
  result: Result,
  traffic: TrafficStream['traffic'],
  { measure, q }: Percentile,
) => {
  const { better } = measures[measure];
  if (reportedQuantiles.some((each) => each === q || slowQuantile(each, better) === q)) return null;
  const where: LabelFilter = (labels) => outsideWarmUp(labels) && labels.traffic === traffic;
  const bounds = figureErrorsOf(result).boundsOf(measure, where)?.(q);
  const value = figuresOver(result, measure, where).percentile(q)?.value;
  return bounds === undefined || value === undefined ? null : { ...bounds, value };
};

/**
 * Returns how far the true percentile can be from the observed percentile, as a share of the observed percentile. The
 * function takes the geometric mean over the runs of each side, and returns the larger mean.
 */
const errorOf = (
  runs: Both<readonly Repetition[]>,
  traffic: TrafficStream['traffic'],
  { measure, q }: Percentile,
): number => {
  const factorOf = ({ result, trust }: Repetition): number => {
    const found =
      trust.figures.find(
        (each) => each.traffic === traffic && each.measure === measure && each.q === q,
      ) ?? unreportedFigure(result, traffic, { measure, q });
    if (found === null || found.value <= 0) return 1;
    const { value, low, high } = found;
    if (low <= 0) return largestFactor;
    return Math.min(largestFactor, Math.max(1, value / low, high / value));
  };
  const { base, next } = onBoth(runs, (side) => geometricMean(side.map(factorOf)));
  return Math.max(base, next) - 1;
};

const totalWords = {
  completed: { label: 'Completed', unit: '/s', better: 'higher' },
  outputTokens: { label: 'Output tokens', unit: '/s', better: 'higher' },
  errors: { label: 'Errors', unit: '%', better: 'lower' },
  limited: { label: 'Answers 429', unit: '%', better: 'lower' },
} as const satisfies Record<Total, { label: string; unit: string; better: 'lower' | 'higher' }>;

type RateTotal = 'completed' | 'outputTokens';

/**
 * Returns the number of events in each second of the measured window: of output tokens, or of answers to requests that
 * were due in the second.
 */
const eventsBySecond = (result: Result, total: RateTotal): readonly number[] => {
  const { timeline = [], seconds = 0 } = measuredWindow(result) ?? {};
  const bySecond = new Map(
    timeline.map((each) => [
      each.second,
      total === 'completed' ? allCompletedDueIn(each) : each.outputTokens,
    ]),
  );
  const from = firstMeasuredSecond(result);
  return Array.from({ length: seconds }, (_, i) => bySecond.get(from + i) ?? 0);
};

/** Returns a rate over the measured window; `null` if there is no window or no event. */
const rateOf = (result: Result, total: RateTotal): number | null => {
  const events = eventsBySecond(result, total);
  return meanOf(events) || null;
};

const rateIntervalOf = (result: Result, total: RateTotal): Interval | null => {
  const events = eventsBySecond(result, total);
  const half = halfWidthOfRatio(events.map((sum) => ({ sum, of: 1 })));
  return half === null ? null : { low: meanOf(events) - half, high: meanOf(events) + half };
};

/**
 * Returns a share of the arrivals: the arrivals answered with 429 (`limited`), or the arrivals that failed in any other
 * way (`errors`).
 */
const failureShareOf = (result: Result, total: 'errors' | 'limited'): Share => {
  const outcomes = sumOutcomes(groupsMatching(result, outsideWarmUp));
  const of = countArrivals(outcomes);
  const { limited } = outcomes;
  return { events: total === 'limited' ? limited : countFailed(outcomes) - limited, of };
};

const shareIntervalOf = (result: Result, total: 'errors' | 'limited'): Interval | null => {
  const groups = groupsMatching(result, outsideWarmUp);
  const counted = { outcomes: sumOutcomes(groups), sent: 0, metAllObjectives: 0, finished: null };
  const name = total === 'limited' ? 'limitedRate' : 'faultRate';
  const dependence = dependenceOfArrivals(runPartOf(result, groups), name, counted);
  const { events, of } = failureShareOf(result, total);
  if (dependence === null || of === 0) return null;
  return wilsonInterval(events / dependence.widening, of / dependence.widening);
};

const totalCandidates = (
  results: Both<readonly Result[]>,
  name: Total,
  gates: readonly string[] | null,
): readonly MetricCandidate[] => {
  const gated = gates?.includes(name) ?? true;
  const headline = gates !== null;
  const labels = { id: name, traffic: null, model: null, name, ...totalWords[name] };
  if (name === 'completed' || name === 'outputTokens') {
    const rates = onBoth(results, (side) => side.map((result) => rateOf(result, name)));
    const intervalWithin = (result: Result): Interval | null => rateIntervalOf(result, name);
    const candidate = {
      labels,
      gated,
      headline,
      effect: throughputEffect,
      floor: 0,
      error: 0,
      intervalWithin,
    };
    return ratioCandidates(candidate, rates, []);
  }
  const found = onBoth(results, (side) => side.map((result) => failureShareOf(result, name)));
  const isNone = [...found.base, ...found.next].every(({ events }) => events === 0);
  const remark = isNone ? 'none on either side' : null;
  const intervalWithin = (result: Result): Interval | null => shareIntervalOf(result, name);
  return [
    {
      labels,
      scale: 'difference',
      ...found,
      gated: gated && !isNone,
      headline,
      remark,
      intervalWithin,
    },
  ];
};

/** Returns a candidate for a requested metric that no run has. Such a candidate makes the comparison inconclusive. */
const missingCandidate = (name: string): RatioCandidate => ({
  labels: { id: name, traffic: null, model: null, name, label: name, unit: '', better: 'lower' },
  scale: 'ratio',
  gated: true,
  headline: true,
  base: [],
  next: [],
  effect: latencyEffect,
  floor: 0,
  error: 0,
  remark: 'no run has a value',
  intervalWithin: () => null,
});

/**
 * Returns all metrics that can be compared. `gates` are the names of the metrics that decide; `null` means the
 * defaults.
 */
export const metricCandidatesOf = (
  runs: Both<readonly Repetition[]>,
  gates: readonly string[] | null,
): readonly MetricCandidate[] => {
  const results = resultsOf(runs);
  const found = [
    ...trafficStreamsOf(results).flatMap((stream) => percentileCandidates(runs, stream, gates)),
    ...totals.flatMap((name) => totalCandidates(results, name, gates)),
  ];
  const missing = (gates ?? []).filter((gate) => !found.some(({ labels }) => labels.name === gate));
  return [...found, ...missing.map(missingCandidate)];
};
