import { describe, expect, it } from 'vitest';
import type { MetricCandidate } from '../../../judge/series/metric-candidates.ts';
import { healthyResult } from '../../../judge/sample-result.fixture.ts';
import { isFarWorse } from './single-runs.ts';

/** The ends of the intervals by hand: 1.2816 is the normal quantile of 90 %, 1.6449 that of 95 %. */
const noise = 1.644854 * 0.1;

const results = { base: healthyResult({ lags: [] }), next: healthyResult({ lags: [] }) };

interface Figure {
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
}

const candidateOf = (
  scale: 'ratio' | 'difference',
  base: Figure,
  next: Figure,
): MetricCandidate => {
  const share = ({ value }: Figure) => ({ events: value * 1e6, of: 1e6 });
  const common = {
    labels: { id: 'x', traffic: null, model: null, name: 'x', label: 'x', unit: 'ms' },
    gated: true,
    headline: true,
    remark: null,
    intervalWithin: (result: unknown) => (result === results.base ? base : next),
  };
  return (scale === 'ratio'
    ? { ...common, scale, base: [base.value], next: [next.value], effect: 0.1, floor: 0, error: 0 }
    : { ...common, scale, base: [share(base)], next: [share(next)] }) as unknown as MetricCandidate;
};

const exact = (value: number): Figure => ({ value, low: value, high: value });

/** The smallest or largest new value that is far worse, by halving. */
const turningPoint = (isFar: (value: number) => boolean, from: number, to: number): number => {
  let [mild, far] = [from, to];
  expect([isFar(mild), isFar(far)]).toEqual([false, true]);
  for (let step = 0; step < 60; step += 1) {
    const middle = (mild + far) / 2;
    if (isFar(middle)) far = middle;
    else mild = middle;
  }
  return far;
};

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));
const logit = (share: number): number => Math.log(share / (1 - share));

describe('one run against one is far worse', () => {
  it.each([1, 1.1, 1.5])(
    'for a time once it is beyond the noise of both runs and %s times the least change',
    (least) => {
      const isFar = (value: number): boolean =>
        isFarWorse(
          candidateOf('ratio', exact(100), exact(value)),
          { reportedLeast: least, lowerIsBetter: true },
          results,
        );
      const expected = 100 * least * Math.exp(2 * noise);
      expect(turningPoint(isFar, 100, 1000)).toBeCloseTo(expected, 3);
    },
  );

  it('for a rate once it is as far below', () => {
    const isFar = (value: number): boolean =>
      isFarWorse(
        candidateOf('ratio', exact(100), exact(value)),
        { reportedLeast: 1.1, lowerIsBetter: false },
        results,
      );
    expect(turningPoint(isFar, 100, 1)).toBeCloseTo(100 / (1.1 * Math.exp(2 * noise)), 3);
  });

  it.each([0.01, 0.2, 0.5])('for a share of %s that may rise, by the odds', (share) => {
    const isFar = (value: number): boolean =>
      isFarWorse(
        candidateOf('difference', exact(share), exact(value)),
        { reportedLeast: 0.02, lowerIsBetter: true },
        results,
      );
    const expected = sigmoid(logit(sigmoid(logit(share) + noise) + 0.02) + noise);
    expect(turningPoint(isFar, share, 0.99)).toBeCloseTo(expected, 4);
    // The share of what did not happen says the same.
    const isFarBelow = (value: number): boolean =>
      isFarWorse(
        candidateOf('difference', exact(1 - share), exact(value)),
        { reportedLeast: 0.02, lowerIsBetter: false },
        results,
      );
    expect(turningPoint(isFarBelow, 1 - share, 0.01)).toBeCloseTo(1 - expected, 4);
  });

  it('only by the ends that face each other, at right angles with the noise', () => {
    const isFar = (value: number): boolean =>
      isFarWorse(
        candidateOf(
          'ratio',
          { value: 100, low: 1, high: 100 * Math.exp(0.3) },
          { value, low: value * Math.exp(-0.4), high: 1e9 },
        ),
        { reportedLeast: 1.1, lowerIsBetter: true },
        results,
      );
    const expected = 110 * Math.exp(Math.hypot(0.3, noise) + Math.hypot(0.4, noise));
    expect(turningPoint(isFar, 100, 1e5)).toBeCloseTo(expected, 2);
  });

  it('never without an interval, and without noise from a share of nothing', () => {
    const rule = { reportedLeast: 0.02, lowerIsBetter: true };
    const open = { value: 1, low: 1, high: null };
    expect(isFarWorse(candidateOf('ratio', open, exact(1e9)), rule, results)).toBe(false);
    const none = { value: 0, low: 0, high: 0.01 };
    const isFar = (value: number): boolean =>
      isFarWorse(candidateOf('difference', none, exact(value)), rule, results);
    expect(turningPoint(isFar, 0.01, 0.5)).toBeCloseTo(sigmoid(logit(0.03) + noise), 4);
  });
});
