import { expect, it } from 'vitest';
import { healthyResult } from '../judge/sample-result.fixture.ts';
import { samplePlan } from '../model/plan/sample-plan.fixture.ts';
import { type Ledger, toLedgerRow } from '../model/observation/ledger.ts';
import type { Result } from '../model/result/result.ts';
import { withLimitNotes } from './limit-notes.ts';

const [declaredRequests, declaredTokens] = [600, 90_000];

const unknown = {
  ended: 2,
  traffic: 'chat',
  remainingRequests: null,
  remainingTokens: null,
  tokens: null,
  unit: null,
  form: null,
  retryAfter: null,
  resetIn: null,
} as const;

type Answers = readonly (readonly [requests: number | null, tokens: number | null])[];

/** A run whose answers have headers with these limits; each key has its own list. */
const runWith = (...keys: readonly Answers[]): Result => {
  const limits = { requestsPerMinute: declaredRequests, tokensPerMinute: declaredTokens };
  const plan = samplePlan({ limits: { ...samplePlan().limits, ...limits } });
  const ledger: Ledger[] = keys.map((answers, index) => ({
    key: `key-${index}`,
    left: 0,
    rows: answers.map(([limitRequests, limitTokens], at) =>
      toLedgerRow({
        ...unknown,
        sent: at,
        answered: at + 1,
        status: 200,
        limitRequests,
        limitTokens,
      }),
    ),
  }));
  return healthyResult({ lags: [], plan, ledger, notes: ['first'] });
};

const notesOn = (...keys: readonly Answers[]): readonly string[] =>
  withLimitNotes(runWith(...keys)).notes;

it('limits that headers confirm, or say nothing of, are no note', () => {
  expect(notesOn([[600, 90_000]])).toEqual(['first']);
  expect(notesOn([[null, null]])).toEqual(['first']);
  expect(notesOn()).toEqual(['first']);
});

it('limits that headers contradict are a note each, after those of the run', () => {
  const requests =
    'The headers of the answers declare a limit of 100 requests a minute, and the plan 600 (limits.requestsPerMinute).';
  const tokens =
    'The headers of the answers declare a limit of 5,000 tokens a minute, and the plan 90,000 (limits.tokensPerMinute).';
  expect(notesOn([[100, 90_000]])).toEqual(['first', requests]);
  expect(notesOn([[600, 5000]])).toEqual(['first', tokens]);
  expect(notesOn([[100, 5000]])).toEqual(['first', requests, tokens]);
});

it('a note has every number of the keys that differ once, in order, and none of the others', () => {
  expect(
    notesOn(
      [
        [600, null],
        [700, null],
      ],
      [
        [80, null],
        [80, null],
      ],
      [[600, null]],
    ),
  ).toEqual([
    'first',
    'The headers of the answers declare a limit of 80 and 600 and 700 requests a minute, and the plan 600 (limits.requestsPerMinute).',
  ]);
});
