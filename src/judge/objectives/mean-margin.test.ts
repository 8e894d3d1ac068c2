import { expect, it } from 'vitest';
import { type FigureSources, observeFigure } from './observed-value.ts';

it('the margin of skewed times is that of Maurer and Pontil, theorem 4', () => {
  // Of 1,000 times 980 are 1 s and 20 are 51 s: the variance is 49 s², the skewness 6.857. A mean of 3 s keeps the lower bound above 0.
  const samples = { mean: 3, count: 1000, shape: () => ({ variance: 49, skewness: 6.857 }) };
  const observed = (halfWidth: number, longest: number, skewness = 6.857) =>
    observeFigure({ kind: 'measure', name: 'endToEnd', statistic: 'mean' }, {
      distribution: () => ({ ...samples, shape: () => ({ variance: 49, skewness }) }),
      meanHalfWidth: () => halfWidth,
      longest: () => longest,
    } as unknown as FigureSources);
  // A half-width of 1.96 × 7 / √400 is that of 400 independent samples.
  const { outer, weak, effective } = observed((1.95996398454 * 7) / 20, 60);
  expect(effective).toBeCloseTo(400, 6);
  expect(weak).toBe(true);
  // √(2 · 49 · ln 50 / 400) + 7 · 60 · ln 50 / (3 · 999) = 0.97901 + 0.54824
  const divisor = Math.SQRT2;
  expect(outer!.high).toBeCloseTo(3 + divisor * 1.527_25, 3);
  expect(outer!.low).toBeCloseTo(3 - divisor * 1.527_25, 3);
  const twice = observed((1.95996398454 * 7) / 20, 120).outer!;
  expect((twice.high! - outer!.high!) / divisor).toBeCloseTo(0.548_24, 3);
  // Without skewness it is the half-width, or what a value too rare to be seen can add: ln 50 / 1,000 of the longest.
  const plain = observed(0.1, 60, 0).outer!;
  expect(plain.high).toBeCloseTo(3 + Math.max(0.1 * divisor, 0.003_912 * 60), 3);
});
