import { describe, expect, it } from 'vitest';
import { drawFrom } from '../../../model/workload/draw.ts';
import { countingSpread, growthOfFlow, slopeOf } from './growth.ts';

describe('the slope of requests in flight', () => {
  it('is exact on a line, with an interval of width 0', () => {
    const { value, low, high } = slopeOf([3, 5, 7, 9, 11]);
    expect([value, low, high]).toEqual([2, 2, 2]);
  });

  it('is unknown for fewer than three samples', () => {
    expect(slopeOf([1, 9])).toMatchObject({
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

/** The flow of a full server which ends so many of 80 random requests a second. */
const fullServer = (seconds: number, ended: number, seed: number) => {
  const draw = drawFrom(seed, 5);
  const begun = Array.from({ length: seconds }, () => 80);
  // A sum of uniform numbers with the variance of a Poisson count.
  const ends = begun.map(() =>
    Math.round(
      ended +
        Math.sqrt(ended) *
          (Array.from({ length: 12 }, () => draw.uniform()).reduce((a, b) => a + b) - 6),
    ),
  );
  let running = 40;
  const inFlight = [running, ...begun.map((began, i) => (running += began - ends[i]!))];
  return { begun, ended: ends, inFlight };
};

describe('the growth of requests in flight', () => {
  it('is not certain to be below 5 % for a full server by a thousand arrivals, however they ended', () => {
    let certain = 0;
    for (let seed = 0; seed < 200; seed += 1) {
      // It ends 6 % less than it gets.
      if (growthOfFlow(fullServer(15, 80 / 1.06, seed)).high < 0.05) certain += 1;
    }
    expect(certain).toBeLessThanOrEqual(10);
  });

  it('is certain where requests in flight turn over many times', () => {
    const turns = Array.from({ length: 31 }, (_, i) => 3 + (i % 2));
    const even = Array.from({ length: 30 }, () => 8);
    const { value, high } = growthOfFlow({ begun: even, ended: even, inFlight: turns });
    expect(value).toBeCloseTo(0, 3);
    expect(high).toBeLessThan(0.05);
  });

  it('is unknown without arrivals, and a rate is never more exact than its count', () => {
    expect(growthOfFlow({ begun: [0], ended: [0], inFlight: [0, 0] })).toMatchObject({
      low: -1,
      high: 1,
    });
    expect(countingSpread([25, 25, 25, 25])).toBeCloseTo(0.1, 9);
  });
});
