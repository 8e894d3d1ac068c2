import { describe, expect, it } from 'vitest';
import type { RatioCandidate, ShareCandidate } from '../../../judge/series/metric-candidates.ts';
import { differenceOf, judgeMetric } from './judge-metric.ts';

/** Student’s t: 97.5 %, 95 % and 90 % of it with eight degrees of freedom, 98.75 % and 90 % with seven. */
const [t975, t95, t90] = [2.306_004_1, 1.859_548, 1.396_815_3];
const [seven9875, seven90] = [2.841_244_2, 1.414_923_9];

const shared = { gated: true, headline: true, remark: null, intervalWithin: () => null };
const labels = (better: 'lower' | 'higher') => ({ better }) as RatioCandidate['labels'];

/** Five runs of this mean and drift, of which the logarithms differ from it by 1, −2, 2, −2 and 1 times `noise`. */
const side = (mean: number, noise: number, drift = 0): readonly number[] =>
  [1, -2, 2, -2, 1].map((each, i) => Math.exp(mean + each * noise + drift * i));

/** The sum of the squares of that noise is 14, so its variance in a side is 14/4. */
const ratio = (
  change: number,
  {
    noise = 0.01,
    drift = 0,
    better = 'lower',
    ...rest
  }: {
    readonly noise?: number;
    readonly drift?: number;
    readonly better?: 'lower' | 'higher';
  } & Partial<RatioCandidate> = {},
): RatioCandidate => ({
  ...shared,
  labels: labels(better),
  scale: 'ratio',
  base: side(Math.log(100), noise, drift),
  // If the base came first, its runs have the places 0 to 4.
  next: side(Math.log(100) + change + 5 * drift, noise, drift),
  effect: 0.1,
  floor: 0,
  error: 0,
  ...rest,
});

const apart = { base: [0, 1, 2, 3, 4], next: [5, 6, 7, 8, 9] };
const share = (base: number, next: number, runs = 5): ShareCandidate => ({
  ...shared,
  labels: labels('lower'),
  scale: 'difference',
  base: Array.from({ length: runs }, () => ({ events: base, of: 1000 })),
  next: Array.from({ length: runs }, () => ({ events: next, of: 1000 })),
});

const ends = (interval: { readonly low: number; readonly high: number } | null) =>
  interval && [interval.low, interval.high].map((end) => Number(end.toFixed(7)));

describe('the difference of values', () => {
  it('has the intervals of Welch, whose degrees of freedom are eight for alike sides', () => {
    const found = differenceOf(ratio(0.3), null)!;
    const error = Math.sqrt((2 * 0.000_1 * 14) / 4 / 5);
    expect(found.change).toBeCloseTo(0.3, 9);
    expect(ends(found.interval)).toEqual(
      ends({ low: 0.3 - t975 * error, high: 0.3 + t975 * error }),
    );
    expect(ends(found.inner)).toEqual(ends({ low: 0.3 - t95 * error, high: 0.3 + t95 * error }));
    expect(found.detectableAt(0.05)).toBeCloseTo((t975 + t90) * error, 7);
    expect([found.remaining, found.lowerIsBetter]).toEqual([null, true]);
    expect(differenceOf(ratio(t975 * error), null)!.p).toBeCloseTo(0.05, 6);
    expect(differenceOf(ratio(0, { better: 'higher' }), null)!.lowerIsBetter).toBe(false);
    expect(found.toReported(1)).toBe(Math.E);
  });

  it('counts from a share of the base on, or from an amount, and more by an error', () => {
    const least = (changes: object) => {
      const { sameWithin, least: widened, reportedLeast } = differenceOf(ratio(0, changes), null)!;
      return [Math.exp(sameWithin), Math.exp(widened), reportedLeast].map((each) =>
        Number(each.toFixed(4)),
      );
    };
    expect(least({})).toEqual([1.1, 1.1, 1.1]);
    expect(least({ floor: 5, error: 0.1 })).toEqual([1.1, 1.21, 1.21]);
    expect(least({ floor: 20 })).toEqual([1.2, 1.2, 1.2]);
  });

  it('has no interval with a single run, and none at all without a value', () => {
    const one = { ...ratio(0.3), base: [100] };
    const found = differenceOf(one, apart)!;
    expect([found.interval, found.inner, found.p, found.remaining]).toEqual([
      null,
      null,
      null,
      null,
    ]);
    expect(found.detectableAt(0.05)).toBeNull();
    expect(differenceOf({ ...one, base: [] }, null)).toBeNull();
    expect(differenceOf({ ...one, next: [] }, null)).toBeNull();
  });

  it('is decided by so many repetitions, unless an error of measurement hides it', () => {
    // t(0.975; 2 n − 2) · 0.1871 · √(2 / n) < 0.25: 2.306 · 0.1183 = 0.273 for 5, 2.228 · 0.108 = 0.241 for 6.
    const needed = (change: number, changes: object, noise = 0.1) =>
      differenceOf(ratio(change, { noise, ...changes }), null)!.neededAt(0.05);
    expect([needed(0.25, {}), needed(-0.25, {})]).toEqual([6, 6]);
    // Between 10 % and 21 %, that is 0.095 and 0.191.
    expect([needed(0.19, { error: 0.1 }), needed(0.1, { error: 0.1 })]).toEqual([null, null]);
    expect(needed(0.192, { error: 0.1 }, 0.01)).toBe(5);
    // Of single runs, the noise is assumed to be 5 %, and what is left to ln 1.1 is 0.0453:
    // t(0.95; 14) · 0.05 · √(2 / 8) = 1.761 · 0.025 = 0.0440, and for 7 it is 1.782 · 0.0267 = 0.0476.
    const single = { ...ratio(0), base: [100], next: [100 * Math.exp(0.05)] };
    expect(differenceOf(single, null)!.neededAt(0.05)).toBe(8);
  });

  it('without a drift is what remains, with the error of the slope', () => {
    // Two deviations of 14 squares each, and 10 − 2 − 1 degrees of freedom: the variance is four squares.
    const found = differenceOf(ratio(0.3, { drift: 0.02 }), apart)!;
    const error = Math.sqrt(4 * 0.000_1 * (1 / 5 + 1 / 5 + 25 / 20));
    expect(found.change).toBeCloseTo(0.4, 9);
    expect(found.remaining!.difference).toBeCloseTo(0.3, 9);
    expect(found.remaining!.slope).toBeCloseTo(0.02, 9);
    expect(found.detectableAt(0.05)).toBeCloseTo((seven9875 + seven90) * error, 7);
    const unsure = differenceOf(ratio(seven9875 * error, { drift: 0.02 }), apart)!;
    expect(unsure.p).toBeCloseTo(0.05, 6);
  });

  it('that remains is decided by more repetitions, and never if it is too small', () => {
    const needed = (change: number, drift: number, noise = 0.1) =>
      differenceOf(ratio(change, { noise, drift }), apart)!.neededAt(0.05);
    // t(0.9875; 2 n − 3) · 0.2 · √(2 / n + 6 n / (n² − 1)) < 0.3.
    // n = 20: 2.336 · 0.1266 = 0.296; n = 19: 2.342 · 0.1299 = 0.304.
    expect([needed(0.3, 0.02), needed(-0.3, -0.02)]).toEqual([20, 20]);
    // ln 1.1 is 0.0953.
    expect([needed(0.095, 0.05), needed(-0.3, 0.1)]).toEqual([null, null]);
    expect(needed(0.0955, 0.05, 0.000_01)).toBe(5);
  });
});

describe('the difference of shares', () => {
  it('has the intervals of Newcombe, at quantiles of Student’s t', () => {
    // 10 and 60 of 5000, by a separate calculation.
    const found = differenceOf(share(2, 12), null)!;
    expect(found.change).toBeCloseTo(0.01, 12);
    expect(ends(found.interval)).toEqual([0.006_294, 0.014_230_1]);
    expect(ends(found.inner)).toEqual([0.007_010_7, 0.013_337_6]);
    expect(found.p).toBeCloseTo(0.000_482_142_7, 9);
    expect([found.least, found.sameWithin, found.reportedLeast]).toEqual([0.005, 0.005, 0.005]);
    expect([found.lowerIsBetter, found.toReported(0.3)]).toEqual([true, 0.3]);
    expect(found.detectableAt(0.05)).toBeCloseTo(0.006_371_56, 8);
    expect([found.neededAt(0.05), found.neededAt(0.000_1)]).toEqual([5, 6]);
  });

  it('of single runs has no interval, and is decided by repetitions all the same', () => {
    const found = differenceOf(share(2, 12, 1), null)!;
    expect([found.interval, found.inner, found.p]).toEqual([null, null, null]);
    expect([found.detectableAt(0.05), found.neededAt(0.05)]).toEqual([null, 5]);
  });

  it('without a drift has at least the variance of the counts', () => {
    // 70 of 10,000 are 0.7 %: 0.007 · 0.993 · 10 / 10,000 is the variance of a run.
    const found = differenceOf(share(2, 12), apart)!;
    expect(found.remaining!.variance).toBeCloseTo(0.000_006_951, 12);
    expect(found.remaining!.error).toBeCloseTo(0.003_386_613_4, 9);
    expect(found.p).toBeCloseTo(0.042_643_67, 7);
    expect(found.detectableAt(0.05)).toBeCloseTo(0.014_413_996, 8);
    // t(0.993; 2 n − 3): 3.253 · 0.00339 = 0.0110 for 5, 3.041 · 0.00308 = 0.0094 for 6.
    expect(found.neededAt(0.028)).toBe(6);
    expect(differenceOf(share(2, 12, 1), apart)!.remaining).toBeNull();
  });
});

describe('the verdict on a metric', () => {
  const results = { base: [], next: [] };
  const judged = (
    candidate: RatioCandidate,
    adjustedP: number | null = null,
    places: typeof apart | null = null,
  ) => judgeMetric(candidate, differenceOf(candidate, places), { adjustedP, tests: 4, results });

  it('has the effect and what it would take to see one', () => {
    const { effect, verdict, needed } = judged(ratio(0.3), 0.01);
    const half = t975 * Math.sqrt((2 * 0.000_1 * 14) / 4 / 5);
    expect([verdict, needed]).toEqual(['regression', null]);
    expect(effect).toEqual({
      change: expect.closeTo(Math.exp(0.3), 7),
      low: expect.closeTo(Math.exp(0.3 - half), 7),
      high: expect.closeTo(Math.exp(0.3 + half), 7),
      p: expect.closeTo(0, 6),
      adjustedP: 0.01,
      least: 1.1,
      relevant: expect.closeTo(1.1, 9),
      drift: null,
      // Less than this would not count.
      detectable: expect.closeTo(1.1, 9),
    });
    // Four tests share 0.028: t(0.9965; 8) is 3.598257.
    const noisy = judged(ratio(0.3, { noise: 0.1 }), 0.01);
    expect(noisy.effect!.detectable).toBeCloseTo(
      Math.exp((3.598_256_7 + t90) * Math.sqrt((2 * 0.01 * 14) / 4 / 5)),
      5,
    );
  });

  it.each([
    [0.3, 'lower', 'regression'],
    [-0.3, 'lower', 'improvement'],
    [0.3, 'higher', 'improvement'],
    [-0.3, 'higher', 'regression'],
    [0.01, 'lower', 'same'],
    [0.09, 'lower', 'inconclusive'],
    [-0.09, 'lower', 'inconclusive'],
  ] as const)('of a change of %d, where %s is better, is %s', (change, better, verdict) => {
    expect(judged(ratio(change, { better })).verdict).toBe(verdict);
  });

  it('is by the adjusted p if there is one, and nothing below five runs', () => {
    expect(judged(ratio(0.3), 0.0279).verdict).toBe('regression');
    expect(judged(ratio(0.3), 0.028).verdict).toBe('inconclusive');
    const four = { ...ratio(0.3), base: ratio(0.3).base.slice(1) };
    expect(judged(four).verdict).toBe('inconclusive');
    expect(judgeMetric(four, null, { adjustedP: null, tests: 1, results })).toEqual({
      effect: null,
      verdict: 'inconclusive',
      needed: null,
    });
  });

  it('names a drift in the direction of the change, if nothing is decided', () => {
    const driftOf = (change: number, drift: number, adjustedP: number | null = null) => {
      const { verdict, effect } = judged(ratio(change, { drift }), adjustedP, apart);
      return [verdict, effect!.drift === null ? null : Number(effect!.drift.toFixed(6))];
    };
    expect(driftOf(0, 0.05)).toEqual(['inconclusive', 1.051_271]);
    expect(driftOf(0.3, -0.02, 0.5)).toEqual(['inconclusive', null]);
    expect(driftOf(0.3, 0.02)).toEqual(['regression', null]);
    // A change of 0.09 in all is none that counts.
    expect(driftOf(-0.01, 0.02)).toEqual(['inconclusive', null]);
  });
});
