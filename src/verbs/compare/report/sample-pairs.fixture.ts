import { emptyOutcomeCounts } from '../../../model/measures/outcome-counts.ts';
import { judgePairs, type PairedRequest } from '../judge/judge-pairs.ts';
import type { PairedFigure, PairedSide, PairsReport } from '../model/pairs.ts';

const estimate = (value: number | null, half: number) => ({
  value,
  low: value === null ? null : value - half,
  high: value === null ? null : value + half,
  outer: {
    low: value === null ? null : value - 2 * half,
    high: value === null ? null : value + 2 * half,
  },
});

export const samplePairedFigure = (changes: Partial<PairedFigure> = {}): PairedFigure => ({
  measure: 'ttft',
  pairs: 580,
  differences: [
    { q: 0.5, weak: false, ...estimate(4.5, 0.3) },
    { q: 0.95, weak: true, ...estimate(-8.25, 2) },
    { q: 0.99, weak: false, ...estimate(null, 2) },
  ],
  shifts: [
    { q: 0.5, weak: false, base: 100.5, next: 104.6, ...estimate(4.1, 0.4) },
    { q: 0.95, weak: true, base: 180, next: null, ...estimate(null, 2) },
  ],
  kept: [
    { within: 0, perSecond: 1.5, share: estimate(0.15, 0.03) },
    { within: 5000, perSecond: 9.25, share: estimate(0.925, 0.02) },
  ],
  order: estimate(0.7, 0.5),
  error: { base: 0.12, next: null, difference: { low: -0.4, high: 0.6 } },
  boundBy: null,
  ...changes,
});

export const samplePairedSide = (changes: Partial<PairedSide> = {}): PairedSide => ({
  target: 'https://old/v1',
  key: ['blue'],
  trust: 'valid',
  outcomes: { ...emptyOutcomeCounts(), completed: 590, limited: 7, broken: 3 },
  inFlight: { mean: 1.25, most: 9 },
  cachedFirst: null,
  cachedSecond: null,
  ...changes,
});

/** Returns what a paired comparison found. `changes` overrides its fields. */
export const samplePairsReport = (changes: Partial<PairsReport> = {}): PairsReport => ({
  format: 'pairs/1',
  weir: '0.1.0',
  name: 'evening',
  comparedAt: '2026-07-01T10:20:30.000Z',
  seed: 42,
  gap: 10,
  seconds: 60,
  pairs: 600,
  base: samplePairedSide(),
  next: samplePairedSide({ target: 'https://new/v1', trust: 'degraded' }),
  failures: { baseOnly: 3, nextOnly: 12, both: 6, unknown: 1, added: estimate(0.015, 0.01) },
  figures: [samplePairedFigure()],
  limits: [],
  verdict: 'adds',
  notes: ['Both sides were sent the same bytes.'],
  ...changes,
});

const answered = (value: number): PairedRequest => ({
  outcome: 'completed',
  status: 'completed',
  times: { ttft: { value, over: 0, under: 0, per: 1 } },
});

const allCompleted = { ...emptyOutcomeCounts(), completed: 600 };

/** Returns the judgement of ten pairs in each of 60 seconds. The new side takes 1 to 9 ms longer. */
export const samplePairs = (most: number): PairsReport =>
  samplePairsReport({
    base: samplePairedSide({ outcomes: allCompleted }),
    next: samplePairedSide({ target: 'https://new/v1', outcomes: allCompleted }),
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
