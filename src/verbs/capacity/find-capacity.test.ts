import { describe, expect, it } from 'vitest';
import { findCapacity } from './find-capacity.ts';
import { judgeCapacity } from './judge/judge-capacity.ts';
import type { CapacityStep } from './model/capacity.ts';
import { lateStep, sampleStep, sampleTerms } from './judge/sample-steps.fixture.ts';

const budget = { requests: 1e6, seconds: 36_000, steps: 40 };

it('a search whose objective stays within its error of measurement ends with the range that the error leaves', async () => {
  const terms = sampleTerms({ forLatency: true, precision: 0.1 });
  const { steps, end } = await findCapacity(
    {
      onStep: () => undefined,
      // The share that misses doubles within 9 % of the rate; the true share is between half and one and a half of it.
      runStep: async ({ rate, seconds, warmUp }) => {
        const arrivals = Math.round(rate * (seconds - warmUp));
        const share = Math.min(0.6, 0.05 * (rate / 20) ** 8);
        const error = { low: share / 2, high: share * 1.5 };
        const isOpen = error.low <= 0.05 && error.high > 0.05;
        const misses = [{ share, error, allowed: 0.05, arrivals, cases: arrivals / 4 }];
        if (!isOpen) return { ...lateStep(rate, share > 0.05), arrivals, misses };
        const breaches = [{ bound: 'latency' as const, text: 'ttft.p95 < 1 s: 0.9 … 1.1 s' }];
        return sampleStep(rate, { verdict: 'undecided', sure: false, arrivals, misses, breaches });
      },
    },
    terms,
    budget,
  );
  expect(end).toBe('inexact');
  const answer = judgeCapacity(steps, terms, true)!;
  // At these rates the true share can be what is allowed.
  const [first, last] = [20 * (1 / 1.5) ** (1 / 8), 20 * 2 ** (1 / 8)];
  expect(answer.rate.low).toBeLessThan(first * 1.01);
  expect(answer.rate.high).toBeGreaterThan(last * 0.99);
  expect(answer.rate.high / answer.rate.low).toBeLessThan(1.6);
  expect(answer.rate.value).toBeGreaterThan(first);
  expect(answer.rate.value).toBeLessThan(last);
});

it('a search ends after two steps with too few samples for an objective, and says nothing of them', async () => {
  const { steps, end } = await findCapacity(
    {
      onStep: () => undefined,
      runStep: async ({ rate }) => sampleStep(rate, { verdict: 'undecided', sure: false }),
    },
    sampleTerms({ forLatency: true }),
    budget,
  );
  expect(end).toBe('undecided');
  expect(judgeCapacity(steps, sampleTerms(), true)).toBeNull();
});

describe('a search ends', () => {
  const endOf = async (
    verdictAt: (place: number) => CapacityStep['verdict'],
    limits: Partial<typeof budget> = {},
  ) => {
    const { steps, end } = await findCapacity(
      {
        onStep: () => undefined,
        runStep: async ({ rate }, number) => sampleStep(rate, { verdict: verdictAt(number) }),
      },
      sampleTerms(),
      { ...budget, ...limits },
    );
    return [steps.length, end];
  };

  it('after five steps in a row of a busy generator, or two that decide nothing', async () => {
    expect(await endOf(() => 'unfit')).toEqual([5, 'unfit']);
    expect(await endOf(() => 'undecided')).toEqual([2, 'undecided']);
    const mixed = (place: number) => (place === 4 ? 'kept' : place < 10 ? 'unfit' : 'undecided');
    expect(await endOf(mixed)).toEqual([9, 'unfit']);
    const taken = (place: number) => (place % 2 === 1 ? 'undecided' : 'unfit');
    expect(await endOf(taken, { steps: 7 })).toEqual([7, 'capped']);
  });

  it('before a step that its budget does not hold', async () => {
    // Steps of 30 s at 1/s, 16 s at 2/s and 8 s at 4/s, of 30, 32 and 32 requests.
    const kept = () => 'kept' as const;
    expect(await endOf(kept, { seconds: 54 })).toEqual([3, 'capped']);
    expect(await endOf(kept, { seconds: 53 })).toEqual([2, 'capped']);
    expect(await endOf(kept, { requests: 94 })).toEqual([3, 'capped']);
    expect(await endOf(kept, { requests: 93 })).toEqual([2, 'capped']);
    expect(await endOf(kept, { steps: 3 })).toEqual([3, 'capped']);
  });
});
