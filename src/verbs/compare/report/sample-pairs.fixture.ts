import { emptyOutcomeCounts } from '../../../model/measures/outcome-counts.ts';
import { judgePairs, type PairedRequest } from '../judge/judge-pairs.ts';
import type { PairedSide, PairsReport } from '../model/pairs.ts';

const side: PairedSide = {
  target: 'http://h/v1',
  key: ['a'],
  trust: 'valid',
  outcomes: { ...emptyOutcomeCounts(), completed: 600 },
  inFlight: { mean: 1, most: 2 },
  cachedFirst: null,
  cachedSecond: null,
};

const answered = (value: number): PairedRequest => ({
  outcome: 'completed',
  status: 'completed',
  times: { ttft: { value, over: 0, under: 0, per: 1 } },
});

/** Test support: ten pairs in each of 60 seconds, of which the new side takes 1 to 9 ms longer. */
export const samplePairs = (most: number): PairsReport => ({
  format: 'pairs/1',
  weir: '0.1.0',
  name: 'evening',
  comparedAt: '2026-07-01T10:20:30.000Z',
  seed: 1,
  gap: 10,
  seconds: 60,
  base: side,
  next: side,
  notes: [],
  ...judgePairs({
    pairs: Array.from({ length: 600 }, (_, i) => ({
      second: Math.floor(i / 10),
      nextFirst: i % 2 === 0,
      base: answered(100),
      next: answered(101 + 8 * ((i * 0.618034) % 1)),
    })),
    seconds: 60,
    reading: { beyond: () => 0, instants: Number.POSITIVE_INFINITY },
    limits: [{ q: 0.5, most }],
    mockError: 0,
  }),
});
