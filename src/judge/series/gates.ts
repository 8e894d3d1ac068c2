import { headlineMeasures, headlineQuantiles } from '../../model/measures/headline.ts';
import { type MeasureName, measureNames, measures } from '../../model/measures/measures.ts';
import type { TrafficKind } from '../../model/workload/traffic.ts';

/** A percentile of a measure, which `--gate` names as `ttft.p95`. */
export interface Percentile {
  readonly measure: MeasureName;
  readonly q: number;
}

export const comparedPercentiles = {
  chat: { gated: ['endToEnd.p50', 'endToEnd.p95'], shown: ['endToEnd.p99'] },
  'chat-stream': {
    gated: ['ttft.p50', 'ttft.p95', 'tpot.p50', 'endToEnd.p50', 'endToEnd.p95'],
    shown: ['ttft.p99', 'gap.p50', 'gap.p99', 'stall.p95', 'outputSpeed.p50', 'endToEnd.p99'],
  },
  speech: {
    gated: ['firstAudio.p50', 'firstAudio.p95', 'endToEnd.p50', 'endToEnd.p95'],
    shown: ['speechFactor.p50'],
  },
  transcription: {
    gated: ['endToEnd.p50', 'endToEnd.p95'],
    shown: ['transcriptionFactor.p50'],
  },
  models: { gated: ['endToEnd.p50', 'endToEnd.p95'], shown: [] },
} as const satisfies Record<
  TrafficKind,
  { readonly gated: readonly string[]; readonly shown: readonly string[] }
>;

export const totals = ['completed', 'outputTokens', 'errors', 'limited'] as const;
export type Total = (typeof totals)[number];

export const percentileOf = (name: string): Percentile | null => {
  const [, word, digits] = /^(\w+)\.p(\d{1,2}(?:\.\d+)?)$/.exec(name) ?? [];
  const measure = measureNames.find((each) => each === word);
  const q = Number(digits) / 100;
  return measure === undefined || !(q > 0 && q < 1) ? null : { measure, q };
};

/**
 * Returns whether a figure is a headline figure. Two sides are called the same if all their headline figures are the
 * same.
 */
export const isHeadlineFigure = (traffic: TrafficKind, { measure, q }: Percentile): boolean => {
  const own: readonly MeasureName[] = headlineMeasures[traffic];
  return own.includes(measure) && headlineQuantiles.some((each) => each === q);
};

/**
 * Returns whether `--gate` accepts a name. `--gate` accepts a figure only if a higher value is always better, or always
 * worse.
 */
export const isGateName = (name: string): boolean => {
  const percentile = percentileOf(name);
  return percentile === null
    ? totals.some((total) => total === name)
    : measures[percentile.measure].better !== 'neither';
};
