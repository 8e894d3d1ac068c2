import type { Histogram } from '../../model/histogram.ts';
import { type MeasureName, measures } from '../../model/measures.ts';
import { quantile } from '../../model/quantile.ts';
import type { Result } from '../../model/result.ts';
import { arrivalsIn, outcomesOf } from '../../model/outcomes.ts';
import {
  distribution,
  groupsWhere,
  measured,
  measuredWindow,
  type Where,
} from '../../model/summary.ts';
import { type TrafficKind, trafficKinds } from '../../model/traffic.ts';
import { comparedPercentiles, percentileOf, type Percentile, type Total } from './gates.ts';
import type { Share } from './newcombe.ts';

/** A stream of requests that is compared by itself: latencies of different kinds and models do not mix. */
export interface Stream {
  readonly traffic: TrafficKind;
  /** `null`: all of the kind. */
  readonly model: string | null;
}

const ofStream =
  ({ traffic, model }: Stream): Where =>
  (labels) =>
    measured(labels) && labels.traffic === traffic && (model === null || labels.model === model);

/** Kinds of traffic, those with several models apart by model where both sides asked for the same ones. */
export const streamsOf = (base: readonly Result[], next: readonly Result[]): readonly Stream[] => {
  const modelsOfKind = (results: readonly Result[], kind: TrafficKind): readonly string[] => [
    ...new Set(
      results
        .flatMap(({ groups }) => groups)
        .flatMap(({ labels }) =>
          labels.traffic === kind && !labels.warmUp ? [labels.model ?? ''] : [],
        )
        .sort(),
    ),
  ];
  return trafficKinds.flatMap((traffic): Stream[] => {
    const [one, other] = [modelsOfKind(base, traffic), modelsOfKind(next, traffic)];
    if (one.length + other.length === 0) return [];
    return one.length < 2 || one.join('\n') !== other.join('\n')
      ? [{ traffic, model: null }]
      : one.map((model) => ({ traffic, model }));
  });
};

/** The percentiles that are looked at: the usual ones of the kind, and what was asked for. */
export const percentilesOf = (
  { traffic }: Stream,
  gates: readonly string[] | null,
): readonly (Percentile & { readonly name: string; readonly gated: boolean })[] => {
  const { gated, shown } = comparedPercentiles[traffic];
  const usual: readonly string[] = [...gated, ...shown];
  const asked = (gates ?? []).filter((name) => !usual.includes(name));
  const isGated = (name: string): boolean => (gates ?? gated).some((each) => each === name);
  return [...usual, ...asked].flatMap((name) => {
    const percentile = percentileOf(name);
    if (percentile === null) return [];
    const kinds: readonly TrafficKind[] = measures[percentile.measure].traffic;
    return kinds.includes(traffic) ? [{ ...percentile, name, gated: isGated(name) }] : [];
  });
};

/** One stream's samples of one measure in each repetition. */
export const histogramsOf = (
  results: readonly Result[],
  stream: Stream,
  measure: MeasureName,
): readonly Histogram[] => results.map((result) => distribution(result, measure, ofStream(stream)));

/** A percentile of one repetition; `null` without samples, and for what has no logarithm. */
export const valueAt = (
  histogram: Histogram,
  q: number,
): { readonly value: number; readonly weak: boolean } | null => {
  const found = quantile(histogram, q);
  return found === null || found.value <= 0 ? null : { value: found.value, weak: found.weak };
};

/** Per second of the measured window; `null` where there is none, or nothing came. */
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

/** How many arrivals were answered with 429, or failed in any other way, of all that were due. */
export const shareOf = (result: Result, total: Extract<Total, 'errors' | 'limited'>): Share => {
  const outcomes = outcomesOf(groupsWhere(result, measured));
  const of = arrivalsIn(outcomes);
  const { completed, limited } = outcomes;
  return { events: total === 'limited' ? limited : of - completed - limited, of };
};
