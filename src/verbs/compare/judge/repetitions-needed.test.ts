import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { comparisonRules } from '../../../model/series/compared-metric.ts';
import { detectableEffect, fewestRepetitions, repetitionsNeeded } from './judge-metric.ts';

it('the fewest repetitions are found by any bound, up to a thousand', () => {
  const { repetitions } = comparisonRules;
  fc.assert(
    fc.property(fc.integer({ min: repetitions, max: 1_000 }), (least) => {
      expect(fewestRepetitions((count) => count >= least)).toBe(least);
    }),
  );
  expect(fewestRepetitions(() => true)).toBe(repetitions);
  expect(fewestRepetitions((count) => count >= 1_001)).toBeNull();
});

it('an effect is detectable from both quantiles of Student’s t on', () => {
  // t(0.975; 8) = 2.306 and, for a power of 90 %, t(0.9; 8) = 1.397, of 80 %, t(0.8; 8) = 0.889.
  const quantile = { 0.8: 0.889, 0.9: 1.397 }[comparisonRules.power as 0.8 | 0.9];
  expect(detectableEffect({ error: 2, freedom: 8 }, 0.05)).toBeCloseTo((2.306 + quantile) * 2, 2);
});

describe('the repetitions that decide', () => {
  const needed = (difference: number, changes: object = {}): number | null =>
    repetitionsNeeded({ difference, deviation: 0.05, least: 0.02, alpha: 0.01, ...changes });

  it('are those for which half of the interval is within what is left to the bound', () => {
    // Beyond the bound: t(0.995; 2 n − 2) · 0.05 · √(2 / n) < 0.06.
    // n = 12: 2.819 · 0.02041 = 0.0575; n = 11: 2.845 · 0.02132 = 0.0607.
    expect(needed(0.06)).toBe(12);
    expect(needed(-0.06)).toBe(12);
    // Within it: t(0.95; 2 n − 2) · 0.05 · √(2 / n) < 0.02. n = 35: 1.668 · 0.01195 = 0.0199.
    expect(needed(0)).toBe(35);
    expect(needed(0.02)).toBeNull();
    expect(needed(0.01)!).toBeGreaterThan(needed(0)!);
  });

  it('are more if the sides did not take turns, as a drift has to be taken off', () => {
    expect(needed(0.06, { isApart: true })!).toBeGreaterThan(needed(0.06)!);
    expect(needed(0, { isApart: true })).toBe(needed(0));
  });

  it('grow with the noise, and are unknown beyond a thousand', () => {
    expect(needed(0.06, { deviation: 0.1 })!).toBeGreaterThan(3 * needed(0.06)!);
    expect(needed(0.0199, { deviation: 1 })).toBeNull();
  });
});
