import { describe, expect, it } from 'vitest';
import { meanOf, newcombe, varianceOf } from '../../../judge/statistics/significance.ts';
import { uniformFrom } from '../../../model/measures/processes.fixture.ts';
import { percentileWithFailures } from '../../../judge/statistics/percentile-with-failures.ts';
import { meanInterval } from './moved.ts';
import { foreseenHalf, leastRequests, maxFailed, pairsToDecide, pairsToIsolate } from './reach.ts';

describe('what an examination needs', () => {
  it('foresees the interval that blocks of exponential times give', () => {
    const draw = uniformFrom(7);
    const [requests, pairs, runs] = [200, 8, 60];
    const p95 = (): number =>
      percentileWithFailures(
        Array.from({ length: requests }, () => -Math.log(1 - draw())),
        0.95,
      );
    const halves = Array.from({ length: runs }, () => {
      const rises = Array.from({ length: pairs }, () => Math.log(p95() / p95()));
      const { high, value } = meanInterval(rises)!;
      return high - value;
    });
    const half = Math.expm1(meanOf(halves));
    expect(foreseenHalf({ q: 0.95, requests, pairs }) / half).toBeGreaterThan(0.9);
    expect(foreseenHalf({ q: 0.95, requests, pairs }) / half).toBeLessThan(1.15);
  });

  it('is as many requests as exclude failures of one in a hundred', () => {
    const highest = (of: number): number =>
      newcombe({ events: 0, of }, { events: 0, of }, 1.96).high;
    expect(highest(leastRequests)).toBeLessThanOrEqual(maxFailed);
    expect(highest(leastRequests - 1)).toBeGreaterThan(maxFailed);
    const few = { q: 0.5, requests: 20, pairs: 8 };
    expect(pairsToIsolate(few, 10)).toBe(Math.ceil(leastRequests / 20));
    expect(pairsToIsolate({ q: 0.95, requests: 1000, pairs: 8 }, 0.1)).toBe(8);
    const noisy = { q: 0.99, requests: 20, pairs: 8 };
    expect(pairsToIsolate(noisy, 0.01)).toBe(null);
    expect(pairsToIsolate({ ...noisy, requests: 1000, pairs: 600 }, 0.1)).toBe(600);
    expect(pairsToIsolate({ ...noisy, pairs: 600 }, 0.01)).toBe(null);
  });

  it('is known of the scatter that was seen, and none where the generator’s own delays span the limit', () => {
    const draw = uniformFrom(11);
    const rises = Array.from({ length: 8 }, () => 0.1 * (draw() + draw() + draw() - 1.5));
    const scatter = { mean: meanOf(rises), deviation: Math.sqrt(varianceOf(rises)) };
    const needed = pairsToDecide({ low: scatter, high: scatter, pairs: 8 }, 0.03)!;
    expect(needed).toBeGreaterThan(8);
    const repeated = Array.from({ length: needed }, (_, i) => rises[i % 8]!);
    expect(meanInterval(repeated)!.high).toBeLessThan(Math.log1p(0.03) * 1.1);
    const late = { ...scatter, mean: scatter.mean + 0.2 };
    expect(pairsToDecide({ low: scatter, high: late, pairs: 8 }, 0.1)).toBe(null);
    const moved = { low: late, high: late, pairs: 8 };
    expect(pairsToDecide(moved, 0.1)).toBe(9);
  });
});
