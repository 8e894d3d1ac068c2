import { milliseconds } from '../quantity.ts';
import type { Trace, TraceLoad } from './trace.ts';

/** Test support: a trace of three requests. Two of them share their first block. */

const dues = [0, 250.5, 250.5];
const inputs = [600, 700, 3];
const blocks = [[7, 8], [7, 9], []];

export const sampleTrace: Trace = {
  count: 3,
  blockTokens: 512,
  dueAt: (index) => dues[index]!,
  inputTokens: (index) => inputs[index]!,
  outputTokens: (index) => index + 1,
  blocksOf: (index) => blocks[index]!,
};

export const sampleTraceLoad: TraceLoad = {
  kind: 'trace',
  file: 'short.jsonl',
  speed: 2,
  from: milliseconds(0),
  until: null,
  maxInputTokens: 700,
  maxOutputTokens: null,
  facts: {
    format: 'mooncake',
    unit: 'ms',
    busiestSecond: 3,
    sha256: '0'.repeat(64),
    requests: 3,
    inputTokens: 1303,
    outputTokens: 6,
    duration: milliseconds(251),
    busiestMinute: { requests: 3, tokens: 1309 },
    clipped: { outside: 0, inputs: 1, outputs: 0, raised: 0 },
  },
};
