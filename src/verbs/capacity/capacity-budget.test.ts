import { describe, expect, it } from 'vitest';
import { budgetRange } from './capacity-budget.ts';
import { perSecond } from '../../model/quantity.ts';
import { sampleTerms } from './judge/sample-steps.fixture.ts';

const rangeOf = (requests: number, seconds: number, most = { rate: 1000, isDeclared: false }) =>
  budgetRange(sampleTerms(), { requests, seconds, steps: 40 }, most);

describe('what a budget can find, before anything is sent', () => {
  it('is the range of answers for which it is usually enough', () => {
    expect(rangeOf(50_000, 1800)).toMatch(
      /^This is usually enough for an answer between 16.0\/s \(about [\d,]+ requests in [^)]+\) and 120\/s \(/,
    );
    expect(rangeOf(3000, 1800)).toMatch(/^This is less than what a search usually needs/);
  });

  it('is enough for objectives of latency by their own default precision, and less for half of it', () => {
    const [budget, most] = [
      { requests: 50_000, seconds: 1800, steps: 40 },
      { rate: 1000, isDeclared: false },
    ];
    const range = (precision: number) =>
      budgetRange(sampleTerms({ forLatency: true, precision }), budget, most);
    expect(range(0.1)).toMatch(
      /^This is usually enough for an answer between 19.0\/s .* and 88.0\/s /,
    );
    expect(range(0.05)).toMatch(/^This is less than what a search usually needs/);
  });

  it('is the declared limit where that ends the climb', () => {
    expect(rangeOf(1800, 1800, { rate: 1, isDeclared: true })).toMatch(
      /^This is enough if the declared limit of 1.00\/s is kept/,
    );
  });

  it('names no declared limit where none is declared', () => {
    const terms = sampleTerms({ start: perSecond(20) });
    const budget = { requests: 50_000, seconds: 1800, steps: 40 };
    expect(budgetRange(terms, budget, { rate: 20, isDeclared: false })).toMatch(
      /^This is enough if 20.0\/s, the highest rate to try, is kept/,
    );
  });

  it('is nothing in too short a time or with too few requests, which is refused with what is needed', () => {
    expect(() => rangeOf(50_000, 5)).toThrow(
      /^--time: no search from this first rate fits in 5 s: give at least 2 min 30 s, or a higher --start/,
    );
    expect(() => rangeOf(100, 1800)).toThrow(
      /^--requests: no search fits in 100 requests: give at least 1,\d\d\d/,
    );
  });
});
