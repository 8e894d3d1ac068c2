import { describe, expect, it } from 'vitest';
import type { LimiterDecision, LimitRule } from '../../../../model/limits/limit-log.ts';
import { fewestFirst, likelyLimits, limitInterval, windowInterval } from './fit-limits.ts';

type History = Parameters<typeof likelyLimits>[0][number];

/** A history of requests that were sent at these instants and answered 5 ms later; `refused` says which were not admitted. */
const historyOf = (sent: readonly number[], refused: readonly number[]): History => {
  const decisions = sent.map((at) => ({
    sent: at,
    answered: at + 5,
    admitted: !refused.includes(at),
  })) as unknown as LimiterDecision[];
  return {
    decisions,
    admitted: decisions.filter(({ admitted }) => admitted),
  } as unknown as History;
};
const rule = { limit: 60, window: 1000 } as LimitRule;

describe('probable limits', () => {
  it('are the declared one and the size of each burst after an idle window, each once', () => {
    const bursts = historyOf(
      [0, 10, 20, 30, 40, 2000, 2010, 2020, 5000, 5010, 5020, 5030],
      [30, 40, 2020, 5030],
    );
    expect(likelyLimits([bursts], rule)).toEqual([60, 3, 2]);
    expect(likelyLimits([bursts, historyOf([0, 10], [10])], rule)).toEqual([60, 3, 2, 1]);
  });

  it('are not those of bursts without a refusal, or after less than an idle window', () => {
    expect(likelyLimits([historyOf([0, 10, 20], [])], rule)).toEqual([60]);
    // From the answer at 25 ms to the next request, a window of 1000 ms is not exceeded.
    expect(likelyLimits([historyOf([0, 10, 20, 1025, 1035], [20, 1035])], rule)).toEqual([60, 2]);
    expect(likelyLimits([historyOf([0, 10, 20, 1026, 1036], [20, 1036])], rule)).toEqual([
      60, 2, 1,
    ]);
  });

  it('count what was sent before the first refusal was known, and in no other order', () => {
    // The refusal of 10 is known at 15: what is sent at 14 may count, what is sent at 15 does not.
    expect(likelyLimits([historyOf([14, 0, 10, 15], [10])], rule)).toEqual([60, 2]);
  });
});

describe('the range of what explains a log as well as the best', () => {
  const place = { limit: 20, window: 60_000, wrong: 3 };

  it('has each limit up to twice the best, and none below 1', () => {
    const range = (low: number, high: number) =>
      limitInterval(
        (limit, window, most) => window === 60_000 && most === 3 && limit >= low && limit <= high,
        place,
      );
    expect(range(18, 23)).toEqual({ value: 20, least: 18, most: 23 });
    expect(range(20, 20)).toEqual({ value: 20, least: 20, most: 20 });
    expect(range(-5, 99)).toEqual({ value: 20, least: 1, most: 40 });
  });

  it('has the shortest and the longest window to a tenth of a thousandth', () => {
    const { value, least, most } = windowInterval(
      (limit, window, wrong) => limit === 20 && wrong === 3 && window >= 41_000 && window <= 93_000,
      place,
      60_000,
    );
    expect(value).toBe(60_000);
    expect(Math.abs(least - 41_000)).toBeLessThan(6);
    expect(Math.abs(most - 93_000)).toBeLessThan(10);
    expect(least).toBeGreaterThanOrEqual(41_000);
    expect(most).toBeLessThanOrEqual(93_000);
  });

  it('is sorted by contradictions, the fewest first', () => {
    const places = [5, 0, 3].map((wrong) => ({ ...place, wrong }));
    expect(places.toSorted(fewestFirst).map(({ wrong }) => wrong)).toEqual([0, 3, 5]);
  });
});
