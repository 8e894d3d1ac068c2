import type { CapacityReport, CapacityStep } from '../model/capacity.ts';
import { milliseconds, perSecond } from '../../../model/quantity.ts';
import { sampleStep } from '../judge/sample-steps.fixture.ts';

const step = (rate: number, overrides: Parameters<typeof sampleStep>[1] = {}): CapacityStep =>
  sampleStep(rate, {
    name: `step-${rate}`,
    seconds: 15,
    arrivals: rate * 15,
    completed: rate * 15,
    spread: 0.01,
    ...overrides,
  });

/** Test support: the report of a search that ended at a gateway’s concurrency; any field can be overridden. */
export const sampleCapacity = (overrides: Partial<CapacityReport> = {}): CapacityReport => ({
  format: 'capacity/1',
  weir: '0.1.0',
  judgedAt: '2026-07-01T10:20:30.000Z',
  name: 'evening',
  target: 'https://host/v1',
  objectives: ['ttft.p95 < 800ms'],
  notes: [],
  terms: {
    thinkTime: milliseconds(20_000),
    requestsPerMinute: 60,
    tokensPerMinute: 2_000_000,
    keys: 20,
    start: perSecond(1),
    top: perSecond(1000),
    precision: 0.05,
  },
  steps: [
    step(4),
    step(8),
    step(16, {
      verdict: 'broken',
      throughput: 11,
      inFlight: 60,
      growth: { value: 0.3, low: 0.28, high: 0.33 },
      latency: { mean: 6000, p50: 6100, p95: 9000 },
      breaches: [{ bound: 'concurrency', text: 'requests in flight grew by 5.0 each second' }],
    }),
    step(12, { verdict: 'unfit', sure: false, breaches: [{ bound: 'none', text: 'start lag' }] }),
  ],
  answer: {
    rate: { value: 11, low: 10.8, high: 11.3 },
    binding: 'concurrency',
    latency: 700,
    because: 'at 16.0/s requests in flight grew by 5.0 each second',
    users: 227,
    keysForRequests: 11,
    keysForTokens: 1,
    costPerHour: 792_000,
    proved: true,
  },
  fit: {
    lambda: 3,
    sigma: 0.05,
    kappa: 0,
    points: 3,
    residual: 0.012,
    knee: { rate: 7, inFlight: 3.5, latency: 510 },
    curve: [1, 3, 6].map((inFlight) => ({
      inFlight,
      rate: { value: 2 * inFlight, low: 1.8 * inFlight, high: 2.3 * inFlight },
      latency: 500,
    })),
  },
  ...overrides,
});
