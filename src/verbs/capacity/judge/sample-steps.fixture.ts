import type { CapacityStep } from '../model/capacity.ts';
import { milliseconds, perSecond } from '../../../model/quantity.ts';
import { nextStep, type SearchTerms } from './next-step.ts';

/** A step for tests: it is kept, steadily and surely. Any field can be overridden. */
export const sampleStep = (
  rate: number,
  overrides: Partial<Omit<CapacityStep, 'rate'>> = {},
): CapacityStep => ({
  name: `at ${rate}`,
  rate: perSecond(rate),
  seconds: 30,
  arrivals: Math.round(rate * 30),
  completed: Math.round(rate * 30),
  limited: 0,
  goodput: 1,
  throughput: rate,
  spread: 0,
  inFlight: rate / 2,
  growth: { value: 0, low: -0.01, high: 0.01 },
  latency: { mean: 500, p50: 480, p95: 700 },
  ttftP95: 200,
  tokens: 300,
  cost: 20,
  verdict: 'kept',
  sure: true,
  breaches: [],
  ...overrides,
});

/** A step in which requests in flight grew without end. */
export const overloadedStep = (
  rate: number,
  throughput: number,
  overrides: Partial<Omit<CapacityStep, 'rate'>> = {},
): CapacityStep => {
  const growth = (rate - throughput) / rate;
  return sampleStep(rate, {
    throughput,
    verdict: 'broken',
    inFlight: 40,
    growth: { value: growth, low: growth - 0.01, high: growth + 0.01 },
    breaches: [{ bound: 'concurrency', text: 'requests in flight grew' }],
    ...overrides,
  });
};

/** The terms of a search without declared limits. Any can be overridden. */
export const sampleTerms = (overrides: Partial<SearchTerms> = {}): SearchTerms => ({
  thinkTime: milliseconds(19_500),
  requestsPerMinute: null,
  tokensPerMinute: null,
  keys: 1,
  start: perSecond(1),
  top: perSecond(1000),
  precision: 0.05,
  forLatency: false,
  samples: 0,
  ...overrides,
});

/** Searches with steps that `take` makes, until it is done. */
export const searchWith = (
  terms: SearchTerms,
  makeStep: (rate: number, number: number) => CapacityStep,
): readonly CapacityStep[] => {
  const steps: CapacityStep[] = [];
  for (let request = nextStep(steps, terms); request !== null; request = nextStep(steps, terms)) {
    steps.push(makeStep(request.rate, steps.length));
    if (steps.length > 60) throw new Error('the search does not end');
  }
  return steps;
};

/** A step that breaks only an objective of latency. Near the border it is in doubt. */
export const lateStep = (rate: number, isLate: boolean): CapacityStep =>
  isLate
    ? sampleStep(rate, {
        verdict: 'broken',
        breaches: [{ bound: 'latency', text: 'ttft.p95 < 1 s: got 2 s' }],
      })
    : sampleStep(rate);
