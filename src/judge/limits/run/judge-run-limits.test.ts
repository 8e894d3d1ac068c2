import { expect, it } from 'vitest';
import { healthyResult } from '../../sample-result.fixture.ts';
import type { Result } from '../../../model/result/result.ts';
import { toLedgerEntry, toLedgerRow } from '../../../model/observation/ledger.ts';
import { measuredRefusals } from '../facts/explained-refusals.ts';
import { judgeRunLimits } from './judge-run-limits.ts';

type Row = Result['ledger'][number]['rows'][number];

/** Returns chats of one key, one each 10 ms, which are refused after the first `admitted`. */
const chats = (count: number, admitted: number): Row[] =>
  Array.from({ length: count }, (_, n): Row => {
    const sent = 1000 + 10 * n;
    const status = n < admitted ? 200 : 429;
    const [tokens, unit] = status === 200 ? [30, null] : [null, 'requests' as const];
    const tail = [unit, null, null, null, null] as const;
    return [sent, sent + 2, status, null, null, null, null, sent + 3, 'chat', tokens, ...tail];
  });

/** Returns a run with two keys that were answered alike: 20 chats each, of which 10 were refused. */
const runWith = (limits: Record<'a' | 'b', number | null>): Result => {
  const base = healthyResult();
  const keys = (['a', 'b'] as const).map((name) => ({
    name,
    template: `\${env:${name}}`,
    weight: 1,
    limits: { requestsPerMinute: limits[name], tokensPerMinute: null },
  }));
  const common = { requestsPerMinute: 10, tokensPerMinute: null, limiter: 'any' } as const;
  return {
    ...base,
    plan: { ...base.plan, keys, limits: common, retry: null, warmUp: base.plan.warmUp },
    ledger: keys.map(({ name: key }) => ({ key, rows: chats(20, 10), left: 0 })),
  };
};

/** Returns what a run with these rests of requests says of them, one request each `gap` ms. */
const restFinding = (gap: number, restOf: (place: number) => number): string | undefined => {
  const base = runWith({ a: 10, b: null });
  const rows = chats(8, 8).map((row, place): Row => {
    const sent = 1000 + gap * place;
    const times = { sent, answered: sent + 2, ended: sent + 3 };
    return toLedgerRow({ ...toLedgerEntry(row), ...times, remainingRequests: restOf(place) });
  });
  const judged = judgeRunLimits({ ...base, ledger: [{ key: 'a', rows, left: 0 }] }, trust);
  return judged.keys[0]!.checks.find(({ id }) => id === 'remaining-requests-fall')?.finding;
};

const trust = { level: 'valid', evidence: [] } as unknown as Parameters<typeof judgeRunLimits>[1];

it('each key is judged by its own limits', () => {
  const judged = judgeRunLimits(runWith({ a: 10, b: 4 }), trust);
  const broken = judged.keys.map(({ key, checks }) => [
    key,
    checks.find(({ id }) => id === 'requests-kept')?.finding,
  ]);
  expect(broken).toEqual([
    ['a', 'proved'],
    ['b', 'refuted'],
  ]);
});

it('answers without the headers of a limit are counted, and named by their kinds', () => {
  const headersOf = (run: Result) =>
    judgeRunLimits(run, trust).keys[0]!.checks.find(({ id }) => id === 'headers-present')!;
  const bare = runWith({ a: 10, b: 10 });
  expect(headersOf(bare)).toMatchObject({
    finding: 'refuted',
    observed: '20 of 20 responses did not have all: chat, 429',
  });
  const withHeaders = bare.ledger[0]!.rows.map((row): Row =>
    toLedgerRow({ ...toLedgerEntry(row), limitRequests: 10, remainingRequests: 0 }),
  );
  expect(headersOf({ ...bare, ledger: [{ key: 'a', rows: withHeaders, left: 0 }] })).toMatchObject({
    finding: 'proved',
    observed: 'all 20 responses had them',
  });
});

it('a 429 is explained by the limit of the key that it was sent with', () => {
  const explained = (limits: Parameters<typeof runWith>[0]) =>
    measuredRefusals(runWith(limits))?.map(({ key, isExplained }) => `${key} ${isExplained}`);
  expect(new Set(explained({ a: 10, b: 60 }))).toEqual(new Set(['a true', 'b false']));
  // Nothing explains the 429s of a key for which no limit is declared.
  expect(new Set(explained({ a: 10, b: null }))).toEqual(new Set(['a true', 'b false']));
});

it('a rest of requests that stays the same is shown only where a bucket’s would have fallen', () => {
  expect(restFinding(10, () => 9)).toBe('refuted');
  expect(restFinding(10, (place) => 9 - place)).toBe('proved');
  // Refilled between all requests, a bucket of ten a minute always reports nine; an empty one reports none.
  expect(restFinding(7000, () => 9)).toBe('undecided');
  expect(restFinding(10, () => 0)).toBe('undecided');
});

it('a limiter is held against the first 400 decisions of a key at most', () => {
  const [key] = judgeRunLimits(runWith({ a: 10, b: 4 }), trust).keys;
  expect(key!.checks.find(({ id }) => id === 'limit-explained')?.claim).toBe(
    'A permitted limiter of 10 requests a minute explains the decisions (at most the first 400).',
  );
});

it.each([[[0]], [[502]], [[0, 502]]])(
  'requests that failed (%j) may have taken a place',
  (failed) => {
    const base = runWith({ a: 10, b: 4 });
    const rows = chats(20, 10).map((row, place): Row => {
      const status = failed[place - 3];
      return status === undefined ? row : toLedgerRow({ ...toLedgerEntry(row), status });
    });
    const [key] = judgeRunLimits({ ...base, ledger: [{ key: 'a', rows, left: 0 }] }, trust).keys;
    expect(key!.checks.find(({ id }) => id === 'limit-explained')?.observed).toContain(
      'sliding-log',
    );
  },
);
