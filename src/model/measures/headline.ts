import type { TrafficKind } from '../workload/traffic.ts';
import type { MeasureName } from './measures.ts';

/** The measures that most readers look for, the most important first. The verdict on trust is about them. */
export const headlineMeasures = {
  chat: ['endToEnd'],
  'chat-stream': ['ttft', 'gap', 'endToEnd'],
  speech: ['firstAudio', 'speechFactor', 'endToEnd'],
  transcription: ['endToEnd', 'transcriptionFactor', 'wordErrorRate'],
  models: ['endToEnd'],
} as const satisfies Record<TrafficKind, readonly MeasureName[]>;

/** The percentiles of these that the verdict on trust is about. */
export const headlineQuantiles = [0.5, 0.95] as const;

/** The percentiles that every report prints. */
export const reportedQuantiles = [0.5, 0.9, 0.95, 0.99] as const;
