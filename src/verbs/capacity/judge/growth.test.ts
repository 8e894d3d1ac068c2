import { describe, expect, it } from 'vitest';
import { drawFrom } from '../../../model/workload/draw.ts';
import { slopeOf } from './judge-steps.ts';

describe('the slope of requests in flight', () => {
  it('is exact on a line, with an interval of width 0', () => {
    const { value, low, high } = slopeOf([3, 5, 7, 9, 11]);
    expect([value, low, high]).toEqual([2, 2, 2]);
  });

  it('is unknown for fewer than three samples', () => {
    expect(slopeOf([1, 9])).toEqual({
      value: 0,
      low: Number.NEGATIVE_INFINITY,
      high: Number.POSITIVE_INFINITY,
    });
  });

  it('has an interval that covers the true slope of noise in 19 of 20 cases, however strong its autocorrelation', () => {
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
      // An interval that contains everything gives no information.
      expect(held / 400).toBeLessThan(0.97);
    }
  });
});
