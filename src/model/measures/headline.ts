import type { TrafficKind } from '../workload/traffic.ts';
import type { Measure } from './measure.ts';
import type { MeasureName } from './measures.ts';

/**
 * The measures that interest most readers, the most important first. The verdict on trust considers only these
 * measures.
 */
export const headlineMeasures = {
  chat: ['endToEnd'],
  'chat-stream': ['ttft', 'gap', 'endToEnd'],
  speech: ['firstAudio', 'speechFactor', 'endToEnd'],
  transcription: ['endToEnd', 'transcriptionFactor', 'wordErrorRate'],
  models: ['endToEnd'],
} as const satisfies Record<TrafficKind, readonly MeasureName[]>;

export const headlineQuantiles = [0.5, 0.95] as const;

/** The percentiles of a result's summary. Only speeds have a p5, because the slowest speeds lie below p5. */
export const percentiles = { p5: 0.05, p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99 } as const;
export type PercentileName = keyof typeof percentiles;

export const reportedPercentiles = ['p50', 'p90', 'p95', 'p99'] as const;
export const reportedQuantiles = reportedPercentiles.map((name) => percentiles[name]);

/** Names a percentile, such as p95 or p99.9. */
export const percentileName = (q: number): string => `p${Number((q * 100).toPrecision(12))}`;

/**
 * Returns the percentile at the slow end that corresponds to `q`. For a time, the result is `q` itself. For a speed
 * (higher is better), the result is 1 − q: p95 becomes p5.
 */
export const slowQuantile = (q: number, better: Measure['better']): number =>
  better === 'higher' ? Number((1 - q).toFixed(5)) : q;
