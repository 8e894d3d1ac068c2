import type { TrafficKind } from '../workload/traffic.ts';
import type { Measure } from './measure.ts';
import type { MeasureName } from './measures.ts';

/** The measures that most readers look for, the most important first. The verdict on trust considers only these. */
export const headlineMeasures = {
  chat: ['endToEnd'],
  'chat-stream': ['ttft', 'gap', 'endToEnd'],
  speech: ['firstAudio', 'speechFactor', 'endToEnd'],
  transcription: ['endToEnd', 'transcriptionFactor', 'wordErrorRate'],
  models: ['endToEnd'],
} as const satisfies Record<TrafficKind, readonly MeasureName[]>;

export const headlineQuantiles = [0.5, 0.95] as const;

export const reportedQuantiles = [0.5, 0.9, 0.95, 0.99] as const;

/**
 * Returns the percentile at the slow end that corresponds to `q`. It is `q` itself for a time. For a speed, where
 * higher is better, p5 corresponds to p95.
 */
export const slowQuantile = (q: number, better: Measure['better']): number =>
  better === 'higher' ? Number((1 - q).toFixed(5)) : q;
