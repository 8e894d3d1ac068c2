import { comparisonRules } from '../../model/series/comparison.ts';
import { type MeasureName, measures } from '../../model/measures/measures.ts';
import type { Result } from '../../model/result/result.ts';
import type { TrafficKind } from '../../model/workload/traffic.ts';
import { type Total, totals } from './gates.ts';
import {
  histogramsOf,
  percentilesOf,
  rateOf,
  failureShareOf,
  type TrafficStream,
  trafficStreamsOf,
  percentileValue,
} from './metric-values.ts';
import type { Share } from '../statistics/significance.ts';

interface MetricLabels {
  readonly id: string;
  readonly traffic: TrafficKind | null;
  readonly model: string | null;
  readonly name: string;
  readonly label: string;
  readonly unit: string;
  readonly better: 'lower' | 'higher' | 'neither';
  readonly gated: boolean;
  readonly remark: string | null;
}

export interface RatioCandidate extends MetricLabels {
  readonly scale: 'ratio';
  readonly base: readonly number[];
  readonly next: readonly number[];
  /** The minimum effect: a share of the base, and a value in the metric's unit. */
  readonly effect: number;
  readonly floor: number;
}

export interface ShareCandidate extends MetricLabels {
  readonly scale: 'difference';
  readonly base: readonly Share[];
  readonly next: readonly Share[];
}

export type MetricCandidate = RatioCandidate | ShareCandidate;

const { latencyEffect, throughputEffect, latencyFloor, tokenFloor } = comparisonRules;

/** Times of single tokens: 5 ms would be a quarter of a typical one. */
const tokenTimes: ReadonlySet<MeasureName> = new Set<MeasureName>(['gap', 'tpot']);

const floorOf = (measure: MeasureName): number => {
  if (measures[measure].unit !== 'ms') return 0;
  return tokenTimes.has(measure) ? tokenFloor : latencyFloor;
};

type Results = readonly Result[];

const missingValuesNote = (
  results: Results,
  found: readonly unknown[],
  side: string,
): readonly string[] => {
  const count = results.length - found.length;
  return count === 0
    ? []
    : [`${count} of the ${side} runs ${count === 1 ? 'has' : 'have'} no value`];
};

const latencies = (
  base: Results,
  next: Results,
  stream: TrafficStream,
  gates: readonly string[] | null,
): readonly RatioCandidate[] =>
  percentilesOf(stream, gates).flatMap(({ measure, q, name, gated }) => {
    const valuesOf = (results: Results) =>
      histogramsOf(results, stream, measure).flatMap(
        (histogram) => percentileValue(histogram, q) ?? [],
      );
    const [one, other] = [valuesOf(base), valuesOf(next)];
    if (one.length + other.length === 0) return [];
    const isWeak = [...one, ...other].some(({ weak }) => weak);
    const minSamples = Math.round(10 / Math.min(q, 1 - q));
    const isGated = gated && (gates !== null || !isWeak);
    const remarks = [
      ...(isWeak ? [`fewer than ${minSamples.toLocaleString('en-US')} samples in a run`] : []),
      ...missingValuesNote(base, one, 'base'),
      ...missingValuesNote(next, other, 'new'),
    ];
    const { short, unit, better } = measures[measure];
    return {
      id: [stream.traffic, ...(stream.model === null ? [] : [stream.model]), name].join(' '),
      ...stream,
      name,
      unit,
      better,
      scale: 'ratio',
      gated: isGated,
      label: `${short} p${Number((q * 100).toFixed(2))}`,
      remark: remarks.length === 0 ? null : remarks.join('; '),
      base: one.map(({ value }) => value),
      next: other.map(({ value }) => value),
      effect: better === 'higher' ? throughputEffect : latencyEffect,
      floor: floorOf(measure),
    };
  });

const totalWords = {
  completed: { label: 'Completed', unit: '/s', better: 'higher' },
  outputTokens: { label: 'Output tokens', unit: '/s', better: 'higher' },
  errors: { label: 'Errors', unit: '%', better: 'lower' },
  limited: { label: 'Answers 429', unit: '%', better: 'lower' },
} as const satisfies Record<Total, { label: string; unit: string; better: 'lower' | 'higher' }>;

const throughput = (
  base: Results,
  next: Results,
  name: 'completed' | 'outputTokens',
  gated: boolean,
): readonly RatioCandidate[] => {
  const valuesOf = (results: Results) => results.flatMap((result) => rateOf(result, name) ?? []);
  const [one, other] = [valuesOf(base), valuesOf(next)];
  if (one.length + other.length === 0) return [];
  const remarks = [
    ...missingValuesNote(base, one, 'base'),
    ...missingValuesNote(next, other, 'new'),
  ];
  return [
    {
      id: name,
      traffic: null,
      model: null,
      name,
      ...totalWords[name],
      scale: 'ratio',
      gated,
      base: one,
      next: other,
      effect: throughputEffect,
      floor: 0,
      remark: remarks.length === 0 ? null : remarks.join('; '),
    },
  ];
};

const failures = (
  base: Results,
  next: Results,
  name: 'errors' | 'limited',
  gated: boolean,
): ShareCandidate => {
  const [one, other] = [base, next].map((results) =>
    results.map((result) => failureShareOf(result, name)),
  );
  const isNone = [...one!, ...other!].every(({ events }) => events === 0);
  return {
    id: name,
    traffic: null,
    model: null,
    name,
    ...totalWords[name],
    scale: 'difference',
    base: one!,
    next: other!,
    gated: gated && !isNone,
    remark: isNone ? 'none on either side' : null,
  };
};

/** A requested metric that no run has: the comparison is inconclusive. */
const missingCandidate = (name: string): RatioCandidate => ({
  id: name,
  traffic: null,
  model: null,
  name,
  label: name,
  unit: '',
  better: 'lower',
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
  base: Results,
  next: Results,
  gates: readonly string[] | null,
): readonly MetricCandidate[] => {
  const isGated = (name: Total): boolean => gates === null || gates.includes(name);
  const found = [
    ...trafficStreamsOf(base, next).flatMap((stream) => latencies(base, next, stream, gates)),
    ...totals.flatMap((name): readonly MetricCandidate[] =>
      name === 'errors' || name === 'limited'
        ? [failures(base, next, name, isGated(name))]
        : throughput(base, next, name, isGated(name)),
    ),
  ];
  const missing = (gates ?? []).filter((gate) => !found.some(({ name }) => name === gate));
  return [...found, ...missing.map(missingCandidate)];
};
