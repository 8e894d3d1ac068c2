// @gate 1 s
import { describe, expect, it } from 'vitest';
import { dependenceOfPercentiles, dependenceOfShare, halfWidthOfRatio } from './dependence.ts';
import { designEffect } from './share.ts';
import { emptyHistogram } from './histogram.ts';
import { processes, uniformFrom } from './processes.fixture.ts';
import { quantile } from './quantile.ts';

const secondsOf = (values: readonly (readonly number[])[]) =>
  values.map((second) => {
    const histogram = emptyHistogram(2);
    histogram.recordAll(second);
    return histogram;
  });

describe('the dependence of samples', () => {
  it('is the design effect of Rao and Scott for clusters', () => {
    // Their formula by hand: share 0.5, residuals 4 · 25, variance 4 / 3 · 100 / 1600, and 0.25 / 40 if independent.
    const clusters = [10, 0, 10, 0].map((events) => ({ events, of: 10 }));
    expect(designEffect(clusters)).toBeCloseTo(((4 / 3) * 100) / 1600 / (0.25 / 40), 10);
  });

  it('is none where blocks differ less than independent samples would', () => {
    const seconds = Array.from({ length: 40 }, () => ({ events: 5, of: 10 }));
    expect(dependenceOfShare(seconds)?.effect).toBe(1);
  });

  it('is unknown for fewer than ten whole seconds', () => {
    const second = { events: 1, of: 2 };
    expect(dependenceOfShare(Array.from({ length: 9 }, () => second))).toBeNull();
    expect(dependenceOfShare(Array.from({ length: 10 }, () => second))).not.toBeNull();
    expect(dependenceOfPercentiles(secondsOf([[1], [2]]))(0.5)).toBeNull();
  });

  it('of half a run that is slow is nearly the length of the run', () => {
    const seconds = secondsOf(
      Array.from({ length: 40 }, (_, n) => Array.from({ length: 100 }, () => (n < 20 ? 10 : 99))),
    );
    expect(dependenceOfPercentiles(seconds)(0.6)?.effect).toBeGreaterThan(500);
  });

  it('is unknown where fewer than ten seconds have samples, however long the run is', () => {
    const seconds = (filled: number) =>
      secondsOf(Array.from({ length: 30 }, (_, n) => (n < filled ? [n, 5] : [])));
    expect(dependenceOfPercentiles(seconds(9))(0.95)).toBeNull();
    expect(dependenceOfPercentiles(seconds(10))(0.95)?.effect).toBeGreaterThanOrEqual(1);
    expect(dependenceOfPercentiles(seconds(0))(0.95)).toBeNull();
  });
});

describe('the interval of a percentile', () => {
  it('holds the truth in nine of ten runs where requests share a queue', () => {
    const process = processes['M/M/1 at 0.5']!;
    const truth = process.truth(0.5, 1000 / 60);
    let held = 0;
    for (let run = 0; run < 100; run += 1) {
      const seconds = Array.from({ length: 60 }, () => emptyHistogram(2));
      const whole = emptyHistogram();
      for (const [due, took] of process.samples(uniformFrom(run), 1000, 1000 / 60)) {
        whole.record(took);
        seconds[Math.floor(due / 1000)]?.record(took);
      }
      const { low, high } = quantile(whole, 0.5, dependenceOfPercentiles(seconds)(0.5))!;
      if ((low ?? 0) <= truth && (high ?? 0) >= truth) held += 1;
    }
    // 97.7 of 100 on average; the intervals of independent samples would hold it in 72.
    expect(held).toBeGreaterThanOrEqual(90);
  });
});

describe('the interval of a rate', () => {
  const rateOf = (values: readonly number[]) =>
    halfWidthOfRatio(values.map((sum) => ({ sum, of: 1 })));

  it('is Student’s t over blocks, the widest of them', () => {
    expect(rateOf(Array.from({ length: 30 }, () => 7))).toBe(0);
    // Ten seconds are ten blocks, or seven: 1 … 10 in ten blocks has a standard error of √(9.1667 / 10).
    const seconds = Array.from({ length: 10 }, (_, n) => n + 1);
    expect(rateOf(seconds)).toBeGreaterThanOrEqual(2.262157 * Math.sqrt(55 / 6 / 10) - 1e-9);
    expect(rateOf(seconds.slice(1))).toBeNull();
    // By turns 0 and 1, ten blocks differ most: each by a half, so with a standard error of √(2.5 / 9 / 10).
    const byTurns = Array.from({ length: 10 }, (_, n) => n % 2);
    expect(rateOf(byTurns)).toBeCloseTo(2.262157 * Math.sqrt(2.5 / 9 / 10), 5);
  });

  it('holds the mean of times that depend on each other', () => {
    const process = processes['AR(1) of 0.8']!;
    // The mean of e to the power of a normal variable with deviation 0.5.
    const truth = 100 * Math.exp(0.125);
    let held = 0;
    for (let run = 0; run < 100; run += 1) {
      const seconds = Array.from({ length: 60 }, () => ({ sum: 0, of: 0 }));
      for (const [due, took] of process.samples(uniformFrom(run), 3000, 50)) {
        const second = seconds[Math.floor(due / 1000)]!;
        second.sum += took;
        second.of += 1;
      }
      const mean = seconds.reduce((total, { sum }) => total + sum, 0) / 3000;
      if (Math.abs(mean - truth) <= (halfWidthOfRatio(seconds) ?? 0)) held += 1;
    }
    expect(held).toBeGreaterThanOrEqual(90);
  });
});
