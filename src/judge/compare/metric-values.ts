import type { Histogram } from '../../model/measures/histogram.ts';
import { type MeasureName, measures } from '../../model/measures/measures.ts';
import { quantile } from '../../model/measures/quantile.ts';
import type { Result } from '../../model/result/result.ts';
import { countArrivals, sumOutcomes } from '../../model/measures/outcome-counts.ts';
import {
  distributionOf,
  groupsMatching,
  outsideWarmUp,
  measuredWindow,
  type LabelFilter,
} from '../../model/result/summary.ts';
import { type TrafficKind, trafficKinds } from '../../model/workload/traffic.ts';
import { comparedPercentiles, percentileOf, type Percentile, type Total } from './gates.ts';
import type { Share } from '../statistics/significance.ts';

/** Requests that are compared together: latencies of different kinds and models do not mix. */
export interface TrafficStream {
  readonly traffic: TrafficKind;
  /** `null`: all of the kind. */
  readonly model: string | null;
}

const ofStream =
  ({ traffic, model }: TrafficStream): LabelFilter =>
  (labels) =>
    outsideWarmUp(labels) &&
    labels.traffic === traffic &&
    (model === null || labels.model === model);

export interface ComparedResults {
  readonly base: readonly Result[];
  readonly next: readonly Result[];
}

const modelsOfKind = (results: readonly Result[], kind: TrafficKind): readonly string[] => {
  const labels = results.flatMap(({ groups }) => groups.map((group) => group.labels));
  const own = labels.filter(({ traffic, warmUp }) => traffic === kind && !warmUp);
  return [...new Set(own.map(({ model }) => model ?? ''))].sort();
};

/** The traffic kinds, separately by model if both sides have the same models. */
export const trafficStreamsOf = ({ base, next }: ComparedResults): readonly TrafficStream[] =>
  trafficKinds.flatMap((traffic): TrafficStream[] => {
    const [one, other] = [modelsOfKind(base, traffic), modelsOfKind(next, traffic)];
    if (one.length + other.length === 0) return [];
    return one.length < 2 || one.join('\n') !== other.join('\n')
      ? [{ traffic, model: null }]
      : one.map((model) => ({ traffic, model }));
  });

/** The default percentiles of the kind and the requested ones. */
export const percentilesOf = (
  { traffic }: TrafficStream,
  gates: readonly string[] | null,
): readonly (Percentile & { readonly name: string; readonly gated: boolean })[] => {
  const { gated, shown } = comparedPercentiles[traffic];
  const defaultNames: readonly string[] = [...gated, ...shown];
  const requestedNames = (gates ?? []).filter((name) => !defaultNames.includes(name));
  const isGated = (name: string): boolean => (gates ?? gated).some((each) => each === name);
  return [...defaultNames, ...requestedNames].flatMap((name) => {
    const percentile = percentileOf(name);
    if (percentile === null) return [];
    const kinds = measures[percentile.measure].traffic;
    return kinds.includes(traffic) ? [{ ...percentile, name, gated: isGated(name) }] : [];
  });
};

export const histogramsOf = (
  results: readonly Result[],
  stream: TrafficStream,
  measure: MeasureName,
): readonly Histogram[] =>
  results.map((result) => distributionOf(result, measure, ofStream(stream)));

/** A percentile of one repetition; `null` without samples or without a logarithm. */
export const percentileValue = (
  histogram: Histogram,
  q: number,
): { readonly value: number; readonly weak: boolean } | null => {
  const found = quantile(histogram, q);
  return found === null || found.value <= 0 ? null : { value: found.value, weak: found.weak };
};

/** Per second of the measured window; `null` without a window or events. */
export const rateOf = (
  result: Result,
  total: Extract<Total, 'completed' | 'outputTokens'>,
): number | null => {
  const window = measuredWindow(result);
  if (window === null) return null;
  const sum = window.timeline.reduce(
    (all, second) =>
      all + (total === 'completed' ? second.outcomes.completed : second.outputTokens),
    0,
  );
  return sum === 0 ? null : sum / window.seconds;
};

/** The arrivals that were answered 429 (`limited`) or failed otherwise (`errors`), of all that were due. */
export const failureShareOf = (
  result: Result,
  total: Extract<Total, 'errors' | 'limited'>,
): Share => {
  const outcomes = sumOutcomes(groupsMatching(result, outsideWarmUp));
  const of = countArrivals(outcomes);
  const { completed, limited } = outcomes;
  return { events: total === 'limited' ? limited : of - completed - limited, of };
};
