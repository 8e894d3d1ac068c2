import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyHistogram } from './histogram.ts';
import { confidenceRanks, doubtOfLooks, quantile } from './quantile.ts';

const holding = (samples: readonly number[]) => {
  const histogram = emptyHistogram();
  for (const sample of samples) histogram.record(sample);
  return histogram;
};
/** 1 … n thousandths: below 2,048 of them a histogram is exact. */
const counting = (n: number) => holding(Array.from({ length: n }, (_, i) => (i + 1) / 1000));

/** P(B ≤ k) for all k, from the logarithms of factorials: another way than the one under test. */
const binomial = (n: number, q: number): readonly number[] => {
  const log = [0];
  for (let i = 1; i <= n; i += 1) log.push(log[i - 1]! + Math.log(i));
  let sum = 0;
  return log.map((_, k) => {
    const choose = log[n]! - log[k]! - log[n - k]!;
    sum += Math.exp(choose + k * Math.log(q) + (n - k) * Math.log1p(-q));
    return sum;
  });
};
const levels = [0.001, 0.01, 0.1, 0.5, 0.9, 0.95, 0.99, 0.999];

describe('the ranks that bound a quantile', () => {
  /** The chances that the quantile lies below the lower and above the upper order statistic. */
  const misses = (n: number, q: number) => {
    const { low, high } = confidenceRanks(n, q);
    const atMost = binomial(n, q);
    return {
      low,
      high,
      atMost: (k: number) => (k < 0 ? 0 : (atMost[k] ?? 1)),
      below: low < 1 ? 0 : atMost[low - 1]!,
      above: high > n ? 0 : 1 - atMost[high - 1]!,
    };
  };

  it.each(levels)('miss the %d-quantile in at most 2.5 % on either side, for any n', (q) => {
    for (const n of [1, 2, 3, 5, 10, 30, 60, 75, 200, 1000, 4999, 5000, 5001, 20_000]) {
      const { below, above } = misses(n, q);
      expect([n, below <= 0.025 + 1e-9, above <= 0.025 + 1e-9]).toEqual([n, true, true]);
    }
  });

  it.each(levels)(
    'are the closest that satisfy this for the %d-quantile, up to 5,000 samples',
    (q) => {
      for (const n of [1, 2, 3, 5, 10, 30, 60, 75, 200, 1000, 5000]) {
        const { low, high, atMost } = misses(n, q);
        expect([n, low === n || atMost(low) > 0.025 - 1e-9]).toEqual([n, true]);
        expect([n, high === 1 || 1 - atMost(high - 2) > 0.025 - 1e-9]).toEqual([n, true]);
      }
    },
  );

  it.each(levels)('beyond 5,000 samples are within two ranks of those for the %d-quantile', (q) => {
    const n = 20_000;
    const { low, high, atMost } = misses(n, q);
    expect(atMost(low + 1)).toBeGreaterThan(0.025);
    expect(1 - atMost(high - 4)).toBeGreaterThan(0.025);
  });

  it('are those of published tables: the median of ten lies between the 2nd and the 9th', () => {
    expect(confidenceRanks(10, 0.5)).toEqual({ low: 2, high: 9 });
  });
});

describe('a quantile', () => {
  it('is the smallest sample that covers its share of a sorted list', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(2000), { minLength: 1, maxLength: 120 }),
        fc.integer({ min: 1, max: 999 }),
        (samples, thousandths) => {
          const sorted = samples.toSorted((a, b) => a - b);
          // In whole numbers: the first sample with thousandths · n ≤ 1000 · rank.
          const exact = sorted.find((_, i) => thousandths * samples.length <= 1000 * (i + 1))!;
          const value = quantile(holding(samples), thousandths / 1000)!.value;
          expect(value).toBeGreaterThanOrEqual(exact);
          expect(value).toBeLessThanOrEqual(exact * 1.001);
        },
      ),
    );
  });

  it('does not exist without samples', () => {
    expect(quantile(emptyHistogram(), 0.5)).toBeNull();
  });

  it('has the samples at its bounds, or none if no sample can bound it', () => {
    expect(quantile(counting(10), 0.5)).toMatchObject({
      value: 0.005,
      low: 0.002,
      high: 0.009,
      n: 10,
    });
    expect(quantile(counting(60), 0.95)).toMatchObject({ value: 0.057, low: 0.053, high: null });
    expect(quantile(counting(1), 0.5)).toMatchObject({ value: 0.001, low: null, high: null });
  });

  it.each([
    [0.5, 20],
    [0.95, 200],
    [0.99, 1000],
    [0.05, 200],
  ])('at %d is weak below %i samples', (q, enough) => {
    expect(quantile(counting(enough - 1), q)!.weak).toBe(true);
    expect(quantile(counting(enough), q)!.weak).toBe(false);
  });
});

it('the outer interval is that of half as many samples, or of fewer for a run that looks often', () => {
  const plain = (widening: number) => {
    const { low, high } = quantile(counting(1000), 0.9, { effect: 1, widening })!;
    return { low, high };
  };
  expect(quantile(counting(1000), 0.9)!.outer).toEqual(plain(2));
  expect(quantile(counting(1000), 0.9, { effect: 1, widening: 3 })!.outer).toEqual(plain(6));
  const often = quantile(counting(1000), 0.9, undefined, doubtOfLooks)!;
  expect(often.outer).toEqual(plain(2.5));
  expect(plain(2)).not.toEqual(plain(2.5));
});
