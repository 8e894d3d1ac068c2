import { describe, expect, it } from 'vitest';
import { drawFrom } from '../../model/workload/draw.ts';
import { slopeOf } from './judge-steps.ts';

describe('the slope of requests in flight', () => {
  it('is exact on a line, with an interval of no width', () => {
    const { value, low, high } = slopeOf([3, 5, 7, 9, 11]);
    expect([value, low, high]).toEqual([2, 2, 2]);
  });

  it('tells nothing of fewer than three samples', () => {
    expect(slopeOf([1, 9])).toEqual({
      value: 0,
      low: Number.NEGATIVE_INFINITY,
      high: Number.POSITIVE_INFINITY,
    });
  });

  it('encloses the true slope of noise nineteen times in twenty, however its neighbours are alike', () => {
    for (const rho of [0, 0.6]) {
      let held = 0;
      for (let seed = 0; seed < 400; seed += 1) {
        const draw = drawFrom(seed, 3);
        let noise = 0;
        const series = Array.from({ length: 60 }, (_, i) => {
          noise = rho * noise + draw.uniform() - 0.5;
          return 0.05 * i + noise;
        });
        const { low, high } = slopeOf(series);
        if (low <= 0.05 && high >= 0.05) held += 1;
      }
      expect(held / 400).toBeGreaterThan(0.92);
      // An interval that holds everything tells nothing.
      expect(held / 400).toBeLessThan(0.97);
    }
  });
});
