// @long 5 s
import { describe, expect, it } from 'vitest';
import { quantileOfDifferences, shiftOfQuantile } from './paired-quantiles.ts';
import {
  autoregressive,
  exponential,
  fixed,
  inBursts,
  type PairStream,
  pairsOf,
} from './paired-streams.fixture.ts';

const runs = 120;
const minute = { perSecond: 20, seconds: 60 };
const lognormal = (median: number, z: number): number => median * Math.exp(0.5 * z);

/** Returns in which share of runs the interval of a percentile holds its truth. An open end holds everything beyond. */
const coverage = (stream: PairStream, q: number, truth: number): number => {
  let held = 0;
  for (let run = 0; run < runs; run += 1) {
    const { low, high } = quantileOfDifferences(pairsOf(run * 7919 + 1, stream), q);
    if (low !== null && low <= truth + 1e-9 && (high ?? truth) >= truth - 1e-9) held += 1;
  }
  return held / runs;
};

describe('a percentile of the differences of pairs', () => {
  it.each([
    ['independent times', exponential(5), 5 * Math.log(2), 5 * Math.log(20)],
    ['an AR(1) of 0.5', autoregressive(5, 0.5), 5, lognormal(5, 1.6448536)],
    ['an AR(1) of 0.8', autoregressive(5, 0.8), 5, lognormal(5, 1.6448536)],
    ['bursts of 10', inBursts(5, 10), 5, lognormal(5, 1.6448536)],
  ] as const)('has an interval that holds the truth in 90 per cent of runs: %s', (...row) => {
    const [, added, p50, p95] = row;
    expect(coverage({ ...minute, added }, 0.5, p50)).toBeGreaterThanOrEqual(0.9);
    expect(coverage({ ...minute, added }, 0.95, p95)).toBeGreaterThanOrEqual(0.9);
  });

  it('holds 0 in 95 % of runs where there is no difference', () => {
    const none = { ...minute, added: fixed(0), noise: 10 };
    expect(coverage(none, 0.5, 0)).toBeGreaterThanOrEqual(0.95);
  });

  it('finds a difference where there is none in at most 5 % of runs, at the median and at the p95', () => {
    const none = { ...minute, added: fixed(0), noise: 10 };
    const wrong = Array.from({ length: runs }, (_, run) => {
      const pairs = pairsOf(run * 104_729 + 3, none);
      return [quantileOfDifferences(pairs, 0.5), shiftOfQuantile(pairs, 0.95)].some(
        ({ outer }) => (outer.low ?? -1) > 0 || (outer.high ?? 1) < 0,
      );
    }).filter(Boolean);
    expect(wrong.length / runs).toBeLessThanOrEqual(0.05);
  });
});
