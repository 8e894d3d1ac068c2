import { describe, expect, it } from 'vitest';
import { toLedgerRow } from '../../model/observation/ledger.ts';
import { blankChatColumns } from '../../model/observation/sample-ledger-entry.fixture.ts';
import {
  keyUsages,
  limitSentence,
  unrecordedText,
  limitedText,
  limitText,
  remainingText,
} from './keys.ts';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';

const result = sampleRunResult();
type Reported = readonly [
  sent: number,
  status: number,
  limitRequests: number | null,
  remainingRequests: number | null,
  limitTokens: number | null,
  remainingTokens: number | null,
];
const budgetOf = (reported: readonly Reported[], left = 0) => {
  const rows = reported.map(
    ([sent, status, limitRequests, remainingRequests, limitTokens, remainingTokens]) =>
      toLedgerRow({
        ...blankChatColumns,
        sent,
        status,
        answered: sent + 10,
        ended: sent + 10,
        limitRequests,
        remainingRequests,
        limitTokens,
        remainingTokens,
      }),
  );
  return keyUsages({ ...result, ledger: [{ key: 'k', rows, left }] })[0]!;
};

describe('the budget of a key', () => {
  it('contains the first 429 and the values of headers', () => {
    const budget = budgetOf([
      [0, 200, 600, 599, 1000, 900],
      [9000, 429, 600, 0, null, null],
      [8000, 429, null, null, null, null],
      [9100, 200, 600, 2, 1000, 950],
      [9200, 0, null, null, null, null],
    ]);
    expect(budget).toMatchObject({ answered: 4, limited: 2, firstLimited: 8010 });
    expect(budget.requests).toEqual({
      declared: 600,
      isInterfaceDefault: false,
      reported: [600],
      lowest: 0,
      last: 2,
    });
    expect(budget.tokens).toMatchObject({ lowest: 900, last: 950 });
    expect([limitedText(budget), remainingText(budget.requests)]).toEqual([
      '2, first at 8.0 s',
      '0, last 2',
    ]);
  });

  it('marks limits that come from the interface', () => {
    const { requests, tokens } = budgetOf([]);
    expect([requests, tokens].map(limitText)).toEqual([
      '600/min declared, no header seen',
      '2,000,000/min by the interface, no header seen',
    ]);
  });

  it('says when nothing is known', () => {
    const budget = budgetOf([[0, 200, null, null, null, null]], 12);
    expect([
      limitedText(budget),
      limitText(budget.requests),
      remainingText(budget.requests),
      unrecordedText(budget),
    ]).toEqual([
      'none',
      '600/min declared, no header seen',
      '–',
      '12 further responses not recorded: the ledger was full',
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
  ])('with %j declared and %j in headers is described in words', (declared, reported, text) => {
    const allowance = {
      declared,
      isInterfaceDefault: declared === 60,
      reported,
      lowest: null,
      last: null,
    };
    expect(limitText(allowance)).toBe(text);
  });
});

describe('the line of a limit', () => {
  const peak = { least: 900, most: 900 };
  const none = { key: 'k', requests: peak, tokens: peak, explainedBy: null, checks: [] };
  const zero = { exact: 0, conservative: 0, deceptive: 0, unknown: 0, absent: 0 };
  const refusals = { count: 3, first: 0, last: 1, forms: {}, retryAfter: zero, resetTime: zero };
  const refused = { ...refusals, stretches: 1, longestStretch: null };

  it('says that a limit which was never reached is not shown to be kept', () => {
    expect(limitSentence('tokens', 2000, { ...none, refusals: null })).toBe(
      'Limit of 2,000 tokens a minute: 900 in the busiest minute; nothing was refused for it and it was not certainly reached, so this run does not show whether it is kept.',
    );
  });

  it('counts the 429s that name it, or no limit', () => {
    const named = { ...none, refusals: { ...refused, units: { tokens: 3 } } };
    expect(limitSentence('tokens', 1000, named)).toContain('; 429s that name it: 3.');
    expect(limitSentence('requests', 1000, named)).toContain('nothing was refused for it');
    const unnamed = { ...none, refusals: { ...refused, units: { none: 3 } } };
    expect(limitSentence('tokens', 1000, unnamed)).toContain('; 429s that name no limit: 3.');
  });

  it('says how far a limit was exceeded', () => {
    const kept = { id: 'tokens-kept', claim: '', section: null, violates: true, evidence: [] };
    const check = { ...kept, finding: 'refuted' as const, observed: '9 requests too many' };
    const limits = { ...none, refusals: null, checks: [check] };
    expect(limitSentence('tokens', 100, limits)).toContain('exceeded: 9 requests too many.');
  });
});
