import { describe, expect, it } from 'vitest';
import type { AmountBasis, ForecastAmount } from '../../model/plan/forecast.ts';
import type { RequestNeeds } from '../../traffic/request/request-needs.ts';
import { NeedsTally, totalNeed } from './needs-tally.ts';

const needs = (more: Partial<RequestNeeds> = {}): RequestNeeds => ({
  input: 10,
  isCounted: true,
  output: 5,
  isFixed: true,
  cost: 100,
  highestCost: 100,
  ...more,
});

interface Terms {
  readonly requestBasis?: AmountBasis;
  readonly isAssumed?: boolean;
  /** How many requests there are besides those that were looked at. */
  readonly more?: number;
}
const totalOf = (
  samples: readonly RequestNeeds[],
  { requestBasis = 'exact', isAssumed = false, more = 0 }: Terms = {},
) => {
  const tally = new NeedsTally(requestBasis, isAssumed);
  for (let i = 0; i < samples.length + more; i += 1) tally.count(true, false);
  for (const each of samples) tally.addSample(each);
  return { ...tally.total(), mean: tally.meanTokens() };
};

describe('what requests need', () => {
  it('is the sum of all if each was looked at', () => {
    expect(totalOf([needs(), needs({ input: 30, output: 1, cost: 7 })])).toEqual({
      requests: { sum: 2, basis: 'exact', unknown: 0 },
      input: { sum: 40, basis: 'exact', unknown: 0 },
      output: { sum: 6, basis: 'exact', unknown: 0 },
      cost: { sum: 107, basis: 'exact', unknown: 0 },
      measured: 2,
      hangUps: 0,
      gaps: 4,
      mean: 23,
    });
    expect(totalOf([])).toMatchObject({ input: { sum: 0 }, gaps: 0, mean: 0 });
  });

  it('is estimated from some of them', () => {
    expect(totalOf([needs(), needs({ input: 11 })], { more: 1 })).toMatchObject({
      requests: { sum: 3, basis: 'exact' },
      input: { sum: 32, basis: 'estimate' },
      output: { sum: 15, basis: 'estimate' },
      cost: { sum: 300, basis: 'estimate' },
      gaps: 12,
    });
  });

  it('is as certain as the least certain part of it', () => {
    const basesOf = (more: Partial<RequestNeeds>, terms: Terms = {}) => {
      const { requests, input, output, cost } = totalOf([needs(), needs(more)], terms);
      return [requests, input, output, cost].map(({ basis }) => basis).join(' ');
    };
    expect(basesOf({})).toBe('exact exact exact exact');
    expect(basesOf({ isCounted: false })).toBe('exact estimate exact estimate');
    expect(basesOf({ isFixed: false })).toBe('exact exact at-most at-most');
    expect(basesOf({}, { isAssumed: true })).toBe('exact exact exact estimate');
    expect(basesOf({}, { requestBasis: 'at-most' })).toBe('at-most at-most at-most at-most');
    expect(basesOf({ isCounted: false }, { requestBasis: 'at-most' })).toBe(
      'at-most estimate at-most estimate',
    );
    expect(basesOf({ isFixed: false }, { requestBasis: 'estimate' })).toBe(
      'estimate estimate estimate estimate',
    );
  });

  it('counts what is unknown, which leaves no number of gaps', () => {
    expect(totalOf([needs(), needs({ output: null, cost: null })], { more: 2 })).toMatchObject({
      output: { sum: 10, unknown: 2 },
      cost: { sum: 200, unknown: 2 },
      gaps: null,
    });
    expect(totalOf([needs({ output: 0 })]).gaps).toBe(0);
  });

  it('has gaps in answers that are measured and on which nobody hangs up', () => {
    const tally = new NeedsTally('exact', false);
    for (const [isMeasured, hangsUp] of [
      [true, false],
      [true, false],
      [true, true],
      [false, true],
      [false, false],
    ] as const) {
      tally.count(isMeasured, hangsUp);
      tally.addSample(needs());
    }
    expect(tally.total()).toMatchObject({ measured: 3, hangUps: 1, gaps: 8, input: { sum: 50 } });
  });
});

it('several needs are summed, and those that need nothing do not make them uncertain', () => {
  const amount = (sum: number, basis: AmountBasis, unknown = 0): ForecastAmount => ({
    sum,
    basis,
    unknown,
  });
  const need = (input: ForecastAmount, output: ForecastAmount) => ({
    requests: amount(1, 'exact'),
    input,
    output,
    cost: amount(0, 'exact'),
  });
  expect(
    totalNeed([
      need(amount(5, 'exact'), amount(0, 'estimate')),
      need(amount(7, 'at-most'), amount(3, 'exact')),
      need(amount(0, 'estimate'), amount(0, 'at-most', 2)),
    ]),
  ).toEqual({
    requests: amount(3, 'exact'),
    input: amount(12, 'at-most'),
    output: amount(3, 'at-most', 2),
    cost: amount(0, 'exact'),
  });
  expect(totalNeed([]).input).toEqual(amount(0, 'exact'));
});
