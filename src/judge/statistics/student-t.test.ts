import { describe, expect, it } from 'vitest';
import {
  criticalValuesOfNormal,
  criticalValuesOfT,
  tailsOfNormal,
  tailsOfT,
} from './reference-values.fixture.ts';
import { beyondNormal, beyondT, criticalNormal, criticalT } from './student-t.ts';

/** Two-sided critical values as tables print them: Fisher & Yates, Statistical Tables, table III. */
const table = [
  [0.05, 1, 12.706],
  [0.05, 8, 2.306],
  [0.01, 8, 3.355],
  [0.001, 8, 5.041],
  [0.2, 4, 1.533],
  [0.05, 30, 2.042],
  [0.05, 120, 1.98],
] as const;

describe('Student’s t distribution', () => {
  it.each(table)(
    'has a probability of %s beyond its critical value at %i degrees of freedom',
    (tails, freedom, t) => {
      expect(criticalT(tails, freedom)).toBeCloseTo(t, 3);
      expect(beyondT(t, freedom)).toBeCloseTo(tails, 3);
    },
  );

  it('agrees with its integrated density at fractional degrees of freedom', () => {
    // This is the density without its constant, which the integral over everything gives.
    const integral = (from: number, to: number, freedom: number): number => {
      const steps = 200_000;
      const width = (to - from) / steps;
      let sum = 0;
      for (let i = 0; i < steps; i += 1) {
        const t = from + (i + 0.5) * width;
        sum += (1 + (t * t) / freedom) ** (-(freedom + 1) / 2) * width;
      }
      return sum;
    };
    for (const freedom of [5.7, 7.31]) {
      const within = integral(0, 2.5, freedom) / integral(0, 2000, freedom);
      expect(beyondT(2.5, freedom)).toBeCloseTo(1 - within, 4);
    }
  });

  it('is inverted by its quantile function', () => {
    for (const freedom of [1.3, 4, 7.9, 61]) {
      for (const tails of [0.6, 0.1, 0.004]) {
        expect(beyondT(criticalT(tails, freedom), freedom)).toBeCloseTo(tails, 9);
      }
    }
  });

  it('has 5 % beyond 1.96 in the limit of the normal distribution', () => {
    expect(beyondNormal(1.959963984540054)).toBeCloseTo(0.05, 12);
    expect(beyondNormal(-1.959963984540054)).toBeCloseTo(0.05, 12);
  });
});

describe('the reference values of mpmath', () => {
  /** Returns the largest relative error. The smallest value is below 1e-70. */
  const worst = (pairs: readonly (readonly [found: number, wanted: number])[]): number =>
    Math.max(...pairs.map(([found, wanted]) => Math.abs(found / wanted - 1)));

  // With many degrees of freedom 1 − x loses digits that no verdict needs.
  it('are those of Student’s t and of its inverse, from 1 to 100,000 degrees of freedom', () => {
    const tails = tailsOfT.map(([freedom, t, p]) => [beyondT(t, freedom), p] as const);
    const inverse = criticalValuesOfT.map(([freedom, p, t]) => [criticalT(p, freedom), t] as const);
    expect(worst(tails)).toBeLessThan(1e-8);
    expect(worst(inverse)).toBeLessThan(1e-8);
  });

  it('are those of the normal distribution and of its inverse', () => {
    expect(worst(tailsOfNormal.map(([z, p]) => [beyondNormal(z), p] as const))).toBeLessThan(1e-12);
    const inverse = criticalValuesOfNormal.map(([p, z]) => [criticalNormal(p), z] as const);
    expect(worst(inverse)).toBeLessThan(1e-12);
  });
});
