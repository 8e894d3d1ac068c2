import type { SweepPoint, SweepReport } from '../model/sweep.ts';

/** Test support: one figure of a point without repetitions. */
const figure = (value: number) => ({ value, low: value, high: value, isWeak: false });

/** A point of a sweep. Any field can be overridden. */
export const samplePoint = (
  values: readonly string[],
  [throughput, latency]: readonly [number, number],
  overrides: Partial<SweepPoint> = {},
): SweepPoint => ({
  values: [...values],
  verdict: 'kept',
  reasons: [],
  runs: [
    {
      folder: 'runs/01-1',
      order: 1,
      startedAt: '2026-07-01T10:20:30.000Z',
      trust: 'valid',
      excludedBecause: null,
      figures: { completedRate: throughput, 'endToEnd.p50': latency },
    },
  ],
  figures: { completedRate: figure(throughput), 'endToEnd.p50': figure(latency) },
  isOnFront: false,
  ...overrides,
});

/**
 * The report of a sweep of two variables, with points that were broken, excluded and not run. Any field can be
 * overridden.
 */
export const sampleSweep = (overrides: Partial<SweepReport> = {}): SweepReport => ({
  format: 'sweep/1',
  weir: '0.1.0',
  judgedAt: '2026-07-01T10:20:30.000Z',
  name: 'evening',
  target: 'https://host/v1',
  seed: 1,
  variables: [
    { path: 'prompt.tokens', values: ['100', '1000'], isLoad: false },
    { path: 'load.users', values: ['1', '4', '16'], isLoad: true },
  ],
  repetitions: 1,
  objectives: ['errorRate < 5%'],
  throughput: { name: 'completedRate', label: 'Completed', unit: '/s' },
  latency: { name: 'endToEnd.p50', label: 'End to end p50', unit: 'ms' },
  points: [
    samplePoint(['100', '1'], [1, 900], { isOnFront: true }),
    samplePoint(['100', '4'], [4, 1000], { isOnFront: true }),
    samplePoint(['100', '16'], [12, 1300], {
      verdict: 'broken',
      reasons: ['errorRate < 5%'],
    }),
    samplePoint(['1000', '1'], [0.9, 1100]),
    samplePoint(['1000', '4'], [0, 0], {
      verdict: 'excluded',
      reasons: ['load not as planned (start lag: p99 12 ms)'],
      figures: {},
    }),
    samplePoint(['1000', '16'], [0, 0], { verdict: 'missing', runs: [], figures: {} }),
  ],
  curves: [
    {
      name: 'prompt.tokens=100',
      points: [0, 1, 2],
      fit: {
        lambda: 1.1,
        sigma: 0.03,
        kappa: 0,
        points: 3,
        residual: 0.001,
        knee: { rate: 8, inFlight: 10, latency: 1250 },
        curve: [],
      },
    },
    { name: 'prompt.tokens=1000', points: [3, 4, 5], fit: null },
  ],
  partial: 'stopped before its last run',
  ...overrides,
});
