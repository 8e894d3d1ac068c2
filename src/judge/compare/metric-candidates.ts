import { type ComparedMetric, comparisonRules } from '../../model/series/comparison.ts';
import { type MeasureName, measures } from '../../model/measures/measures.ts';
import { type Total, totals } from './gates.ts';
import {
  type ComparedResults,
  histogramsOf,
  percentilesOf,
  rateOf,
  failureShareOf,
  type TrafficStream,
  trafficStreamsOf,
  percentileValue,
} from './metric-values.ts';
import type { Share } from '../statistics/significance.ts';

interface Both<T> {
  readonly base: T;
  readonly next: T;
}

export const onBoth = <A, B>({ base, next }: Both<A>, turn: (side: A) => B): Both<B> => ({
  base: turn(base),
  next: turn(next),
});

type MetricLabels = Pick<
  ComparedMetric,
  'id' | 'traffic' | 'model' | 'name' | 'label' | 'unit' | 'better'
>;

interface Candidate {
  readonly labels: MetricLabels;
  readonly gated: boolean;
  readonly remark: string | null;
}

export interface RatioCandidate extends Candidate, Both<readonly number[]> {
  readonly scale: 'ratio';
  /** The minimum effect: a share of the base, and a value in the metric's unit. */
  readonly effect: number;
  readonly floor: number;
}

interface ShareCandidate extends Candidate, Both<readonly Share[]> {
  readonly scale: 'difference';
}

export type MetricCandidate = RatioCandidate | ShareCandidate;

const { latencyEffect, throughputEffect, latencyFloor, tokenFloor } = comparisonRules;

/** Times of single tokens: 5 ms would be a quarter of a typical one. */
const tokenTimes: ReadonlySet<MeasureName> = new Set<MeasureName>(['gap', 'tpot']);

const floorOf = (measure: MeasureName): number => {
  if (measures[measure].unit !== 'ms') return 0;
  return tokenTimes.has(measure) ? tokenFloor : latencyFloor;
};

/** A value of each run; `null` where a run has none. */
type RunValues = readonly (number | null)[];

const missingValuesNote = (values: RunValues, side: string): readonly string[] => {
  const count = values.filter((value) => value === null).length;
  return count === 0
    ? []
    : [`${count} of the ${side} runs ${count === 1 ? 'has' : 'have'} no value`];
};

/** None if no run has a value. */
const ratioCandidates = (
  candidate: Pick<RatioCandidate, 'labels' | 'gated' | 'effect' | 'floor'>,
  { base, next }: Both<RunValues>,
  remarks: readonly string[],
): readonly RatioCandidate[] => {
  const found = onBoth({ base, next }, (values) => values.filter((value) => value !== null));
  if (found.base.length + found.next.length === 0) return [];
  const notes = [...remarks, ...missingValuesNote(base, 'base'), ...missingValuesNote(next, 'new')];
  return [{ ...candidate, scale: 'ratio', ...found, remark: notes.join('; ') || null }];
};

const latencies = (
  sides: ComparedResults,
  stream: TrafficStream,
  gates: readonly string[] | null,
): readonly RatioCandidate[] =>
  percentilesOf(stream, gates).flatMap(({ measure, q, name, gated }) => {
    const found = onBoth(sides, (results) =>
      histogramsOf(results, stream, measure).map((histogram) => percentileValue(histogram, q)),
    );
    const isWeak = [...found.base, ...found.next].some((value) => value?.weak);
    const minSamples = Math.round(10 / Math.min(q, 1 - q));
    const { short, unit, better } = measures[measure];
    const id = [stream.traffic, stream.model, name].filter((word) => word !== null).join(' ');
    const label = `${short} p${Number((q * 100).toFixed(2))}`;
    return ratioCandidates(
      {
        labels: { id, ...stream, name, label, unit, better },
        gated: gated && (gates !== null || !isWeak),
        effect: better === 'higher' ? throughputEffect : latencyEffect,
        floor: floorOf(measure),
      },
      onBoth(found, (values) => values.map((value) => value?.value ?? null)),
      isWeak ? [`fewer than ${minSamples.toLocaleString('en-US')} samples in a run`] : [],
    );
  });

const totalWords = {
  completed: { label: 'Completed', unit: '/s', better: 'higher' },
  outputTokens: { label: 'Output tokens', unit: '/s', better: 'higher' },
  errors: { label: 'Errors', unit: '%', better: 'lower' },
  limited: { label: 'Answers 429', unit: '%', better: 'lower' },
} as const satisfies Record<Total, { label: string; unit: string; better: 'lower' | 'higher' }>;

const totalCandidates = (
  sides: ComparedResults,
  name: Total,
  gated: boolean,
): readonly MetricCandidate[] => {
  const labels = { id: name, traffic: null, model: null, name, ...totalWords[name] };
  if (name === 'completed' || name === 'outputTokens') {
    const rates = onBoth(sides, (results) => results.map((result) => rateOf(result, name)));
    return ratioCandidates({ labels, gated, effect: throughputEffect, floor: 0 }, rates, []);
  }
  const found = onBoth(sides, (results) => results.map((result) => failureShareOf(result, name)));
  const isNone = [...found.base, ...found.next].every(({ events }) => events === 0);
  const remark = isNone ? 'none on either side' : null;
  return [{ labels, scale: 'difference', ...found, gated: gated && !isNone, remark }];
};

/** A requested metric that no run has: the comparison is inconclusive. */
const missingCandidate = (name: string): RatioCandidate => ({
  labels: { id: name, traffic: null, model: null, name, label: name, unit: '', better: 'lower' },
  scale: 'ratio',
  gated: true,
  base: [],
  next: [],
  effect: latencyEffect,
  floor: 0,
  remark: 'no run has a value',
});

/** Everything that can be compared; `gates` are the names of the deciding metrics, `null` the defaults. */
export const metricCandidatesOf = (
  sides: ComparedResults,
  gates: readonly string[] | null,
): readonly MetricCandidate[] => {
  const found = [
    ...trafficStreamsOf(sides).flatMap((stream) => latencies(sides, stream, gates)),
    ...totals.flatMap((name) => totalCandidates(sides, name, gates?.includes(name) ?? true)),
  ];
  const missing = (gates ?? []).filter((gate) => !found.some(({ labels }) => labels.name === gate));
  return [...found, ...missing.map(missingCandidate)];
};
