import { describe, expect, it } from 'vitest';
import { fitScalability } from './fit-scalability.ts';
import { sampleStep } from './sample-steps.fixture.ts';

/** Steps that follow the law exactly. */
const follow = (lambda: number, sigma: number, kappa: number, loads: readonly number[]) =>
  loads.map((n) => {
    const rate = (lambda * n) / (1 + sigma * (n - 1) + kappa * n * (n - 1));
    return sampleStep(rate, { inFlight: n });
  });

describe('the fitted scalability law', () => {
  it('has the parameters of the steps that follow it', () => {
    const fit = fitScalability(follow(3, 0.05, 0.0004, [1, 4, 10, 20, 40, 80]));
    expect(fit?.lambda).toBeCloseTo(3, 6);
    expect(fit?.sigma).toBeCloseTo(0.05, 6);
    expect(fit?.kappa).toBeCloseTo(0.0004, 8);
    expect(fit?.residual).toBeLessThan(1e-6);
  });

  it('has the knee of a batching server where half of its fixed cost is shared', () => {
    // X = N / (a + cN) with a = 0.18, c = 0.01: throughput over latency is largest at N = a / c.
    const lambda = 1 / 0.19;
    const fit = fitScalability(follow(lambda, 0.01 * lambda, 0, [1, 5, 12, 25, 40]));
    expect(fit?.kappa).toBeCloseTo(0, 6);
    expect(fit?.knee?.inFlight).toBeCloseTo(18, 0);
    expect(fit?.knee?.latency).toBeCloseTo(360, -1);
  });

  it('has a wider band with more noise', () => {
    const exact = follow(3, 0.05, 0, [1, 4, 10, 20, 40]);
    const noisy = exact.map((step, i) => ({
      ...step,
      throughput: step.throughput * (i % 2 === 0 ? 1.05 : 0.95),
    }));
    const width = (steps: typeof exact): number => {
      const { rate } = fitScalability(steps)!.curve.at(-1)!;
      return (rate.high - rate.low) / rate.value;
    };
    expect(width(exact)).toBeLessThan(0.001);
    expect(width(noisy)).toBeGreaterThan(0.05);
  });

  it('is absent for fewer than three loads, or for steps that failed', () => {
    expect(fitScalability(follow(3, 0.05, 0, [1, 4]))).toBeNull();
    const broken = follow(3, 0.05, 0, [1, 4, 10]).map((step) => ({
      ...step,
      verdict: 'broken' as const,
    }));
    expect(fitScalability(broken)).toBeNull();
  });
});
