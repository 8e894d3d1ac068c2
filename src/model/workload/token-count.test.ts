import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type TokenCount, tokenCountSchema, drawTokenCount } from './token-count.ts';
import { drawFrom } from './draw.ts';

const many = 20_000;
const drawn = (count: TokenCount): readonly number[] =>
  Array.from({ length: many }, (_, index) => drawTokenCount(count, drawFrom(5, 0, index)));

/** The normal distribution function, by Simpson's rule over its density. */
const normalBelow = (z: number): number => {
  const low = -9;
  const pieces = 400;
  const step = (Math.max(low, z) - low) / pieces;
  const density = (x: number): number => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
  const sum = Array.from({ length: pieces + 1 }, (_, i) => {
    const weight = i === 0 || i === pieces ? 1 : 2 + (i % 2) * 2;
    return weight * density(low + i * step);
  }).reduce((total, term) => total + term, 0);
  return (sum * step) / 3;
};

/** The largest distance between what was drawn and a distribution over whole numbers (Kolmogorov-Smirnov). */
const distance = (values: readonly number[], below: (tokens: number) => number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted.reduce((worst, value, i) => {
    if (sorted[i + 1] === value) return worst;
    return Math.max(worst, Math.abs((i + 1) / sorted.length - below(value)));
  }, 0);
};

/** The distance that chance exceeds once in a thousand times. */
const bound = 1.95 / Math.sqrt(many);

describe('a token count', () => {
  it('that is a number is always this number', () => {
    expect(new Set(drawn(77))).toEqual(new Set([77]));
  });

  it('from a uniform distribution takes every whole number between its bounds equally often', () => {
    const values = drawn({ kind: 'uniform', min: 3, max: 12 });
    expect(distance(values, (tokens) => (tokens - 2) / 10)).toBeLessThan(bound);
  });

  it('from a normal distribution follows the bell curve between its bounds', () => {
    const count = { kind: 'normal', mean: 50, deviation: 20, min: 30, max: 1000 } as const;
    const below = (tokens: number): number => normalBelow((tokens + 0.5 - 50) / 20);
    const share = (tokens: number): number => (below(tokens) - below(29)) / (1 - below(29));
    expect(distance(drawn(count), share)).toBeLessThan(bound);
  });

  it('from a lognormal distribution has its median and its sigma', () => {
    const count = { kind: 'lognormal', median: 200, sigma: 0.7, min: 1, max: 1_000_000 } as const;
    const below = (tokens: number): number => normalBelow(Math.log((tokens + 0.5) / 200) / 0.7);
    expect(distance(drawn(count), below)).toBeLessThan(bound);
  });

  it('from an empirical distribution follows the weights, or is uniform without them', () => {
    const values = [10, 20, 40];
    const share = (tokens: number, weights: readonly number[]): number =>
      weights.reduce((sum, weight, i) => (values[i]! <= tokens ? sum + weight : sum), 0) / 6;
    const weights = [3, 2, 1];
    const weighted = drawn({ kind: 'empirical', values, weights });
    expect(distance(weighted, (tokens) => share(tokens, weights))).toBeLessThan(bound);
    const even = drawn({ kind: 'empirical', values });
    expect(distance(even, (tokens) => share(tokens, [2, 2, 2]))).toBeLessThan(bound);
  });

  it('is within its bounds even if these contain almost nothing of the distribution', () => {
    const edge = { kind: 'normal', mean: 1000, deviation: 0, min: 1, max: 10 } as const;
    expect(drawTokenCount(edge, drawFrom(1))).toBe(10);
  });

  it('is a whole number of at least 1 for every distribution and draw', () => {
    const bounds = fc
      .tuple(fc.integer({ min: 1, max: 999 }), fc.integer({ min: 1, max: 999 }))
      .map(([a, b]) => ({ min: Math.min(a, b), max: Math.max(a, b) }));
    const size = fc.double({ min: 0.01, max: 2000, noNaN: true });
    const counts = fc.oneof(
      bounds.map((ends) => ({ kind: 'uniform' as const, ...ends })),
      fc
        .tuple(size, size, bounds)
        .map(([mean, deviation, ends]) => ({ kind: 'normal' as const, mean, deviation, ...ends })),
      fc
        .tuple(size, fc.double({ min: 0, max: 5, noNaN: true }), bounds)
        .map(([median, sigma, ends]) => ({ kind: 'lognormal' as const, median, sigma, ...ends })),
    );
    fc.assert(
      fc.property(counts, fc.nat(), (count, seed) => {
        expect(tokenCountSchema.parse(count)).toEqual(count);
        const tokens = drawTokenCount(count, drawFrom(seed));
        expect(Number.isInteger(tokens)).toBe(true);
        expect(tokens >= count.min && tokens <= count.max).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});
