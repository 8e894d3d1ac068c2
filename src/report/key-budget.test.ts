import { describe, expect, it } from 'vitest';
import type { LedgerRow } from '../model/result.ts';
import { keyBudgets, leftText, limitedText, limitText, remainingText } from './key-budget.ts';
import { sampleResult } from './sample-result.ts';

const result = sampleResult();
const budgetOf = (rows: LedgerRow[], left = 0) =>
  keyBudgets({ ...result, ledger: [{ key: 'k', rows, left }] })[0]!;

describe('the budget of a key', () => {
  it('holds the first 429 and what headers told', () => {
    const budget = budgetOf([
      [0, 5, 200, 600, 599, 1000, 900],
      [9000, 9010, 429, 600, 0, null, null],
      [8000, 8010, 429, null, null, null, null],
      [9100, 9110, 200, 600, 2, 1000, 950],
    ]);
    expect(budget).toMatchObject({ answered: 4, limited: 2, firstLimited: 8010 });
    expect(budget.requests).toEqual({
      declared: 600,
      isInterface: false,
      told: [600],
      lowest: 0,
      last: 2,
    });
    expect(budget.tokens).toMatchObject({ lowest: 900, last: 950 });
    expect([limitedText(budget), remainingText(budget.requests)]).toEqual([
      '2, first at 8.0 s',
      '0, last 2',
    ]);
  });

  it('takes for the interface’s what is the interface’s', () => {
    const { requests, tokens } = budgetOf([]);
    expect([requests, tokens].map(limitText)).toEqual([
      '600/min declared, no header seen',
      '2,000,000/min by the interface, no header seen',
    ]);
  });

  it('says when it knows nothing', () => {
    const budget = budgetOf([[0, 5, 200, null, null, null, null]], 12);
    expect([
      limitedText(budget),
      limitText(budget.requests),
      remainingText(budget.requests),
      leftText(budget),
    ]).toEqual([
      'none',
      '600/min declared, no header seen',
      '–',
      '12 further responses beyond the ledger’s room',
    ]);
  });

  it.each([
    [600, [600], '600/min as declared'],
    [600, [60], 'header says 60, declared 600'],
    [600, [60, 600], 'header says 60 and 600, declared 600'],
    [null, [60], '60/min by header'],
    [null, [], 'none known'],
    [60, [], '60/min by the interface, no header seen'],
    [60, [60], '60/min as the interface says'],
    [60, [100], 'header says 100, the interface 60'],
  ])('with %j declared and %j in headers is described in words', (declared, told, text) => {
    const allowance = { declared, isInterface: declared === 60, told, lowest: null, last: null };
    expect(limitText(allowance)).toBe(text);
  });
});
