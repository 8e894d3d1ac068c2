// @gate 1 s
import { describe, expect, it } from 'vitest';
import { healthyResult } from '../../judge/sample-result.fixture.ts';
import type { LedgerEntry } from '../../model/observation/ledger.ts';
import {
  type LedgerConditions,
  judgeLedger,
  ledgerFor,
  requestLimit,
  blankLedgerEntry,
  steadily,
} from './judged-ledgers.fixture.ts';

const refuted = (run: ReturnType<typeof judgeLedger>): readonly string[] =>
  run.keys.flatMap(({ checks }) =>
    checks.filter(({ finding }) => finding === 'refuted').map(({ id }) => id),
  );

describe('the judge of a run’s limits', () => {
  it('finds a violation in three workers with separate counters, but fails only if the scenario asks for it', () => {
    const entries = ledgerFor(steadily(60, 100), { workers: 3 });
    expect(judgeLedger(entries, 'any').violated).toBe(true);
    expect(judgeLedger(entries, null).violated).toBe(false);
    expect(refuted(judgeLedger(entries, null))).toContain('requests-kept');
    expect(judgeLedger(entries, 'any').keys[0]!.requests).toStrictEqual({ least: 15, most: 15 });
  });

  it('accepts twice the limit across the boundary of a fixed window, and never of a sliding log', () => {
    const burst = [
      { gap: 55_000, requestDelay: 0, responseDelay: 5 },
      ...steadily(10, 0),
      ...steadily(40, 300),
    ];
    const entries = ledgerFor(burst, { algorithm: 'fixed-aligned' });
    expect(judgeLedger(entries, 'fixed-aligned').violated).toBe(false);
    expect(judgeLedger(entries, 'any').violated).toBe(false);
    expect(judgeLedger(entries, 'sliding-log').violated).toBe(true);
  });

  it('reports refusals with room left, a violation only of a class that never refuses before it is full', () => {
    const entries = ledgerFor([...steadily(4, 100), ...steadily(40, 8000)], {
      algorithm: 'burst-bucket',
      burstShare: 0.2,
    });
    expect(refuted(judgeLedger(entries, 'any'))).toContain('refused-only-when-full');
    expect(judgeLedger(entries, 'any').violated).toBe(false);
    expect(judgeLedger(entries, 'sliding-log').violated).toBe(true);
  });

  it('leaves the first minute undecided: others may have used the key before', () => {
    const entries = ledgerFor(steadily(8, 100), { algorithm: 'burst-bucket', burstShare: 0.2 });
    const [key] = judgeLedger(entries, 'sliding-log').keys;
    expect(key!.checks.find(({ id }) => id === 'refused-only-when-full')).toMatchObject({
      finding: 'undecided',
    });
  });

  it('names the classes that explain the decisions', () => {
    const entries = ledgerFor(steadily(200, 700), { algorithm: 'token-bucket' });
    const [key] = judgeLedger(entries, null).keys;
    expect(key!.explainedBy).toContain('token-bucket');
    expect(key!.explainedBy).not.toContain('sliding-log');
    expect(judgeLedger(ledgerFor(steadily(3, 700), {}), null).keys[0]!.explainedBy).toBeNull();
  });

  it('finds a violation in twice the limit minute after minute, none of which has more than two limits', () => {
    const minutes = Array.from({ length: 5 }, (_, i) => ({ gap: i === 0 ? 0 : 30_500 }));
    const bursts = minutes.flatMap(({ gap }) => [
      { gap, requestDelay: 20, responseDelay: 20 },
      ...steadily(requestLimit - 1, 0),
    ]);
    const entries = ledgerFor(bursts, { requestsPerMinute: null });
    const run = judgeLedger(entries, 'any');
    expect(run.keys[0]!.requests).toStrictEqual({ least: 10, most: 10 });
    expect(run.violated).toBe(true);
    expect(refuted(run)).toContain('requests-kept');
    // 20 within 92 s, where two windows and an edge admit 15; three bursts are no more than that.
    expect(judgeLedger(entries.slice(0, 4 * requestLimit), 'any').violated).toBe(true);
    expect(judgeLedger(entries.slice(0, 3 * requestLimit), 'any').violated).toBe(false);
    expect(judgeLedger(entries, 'in-flight').violated).toBe(false);
  });

  it('finds a violation in a chat that was admitted after all tokens were used', () => {
    const entries = ledgerFor(steadily(5, 2500), { requestsPerMinute: null }).map((entry) => ({
      ...entry,
      tokens: 1_500_000,
    }));
    const run = judgeLedger(entries, 'any');
    expect(refuted(run)).toContain('tokens-kept');
    expect(run.keys[0]!.tokens).toStrictEqual({ least: 7_500_000, most: 7_500_000 });
    // Two in each of two windows that adjoin, the second of which a window forgets; a bucket would owe it.
    expect(judgeLedger(entries.slice(0, 4), 'any').violated).toBe(false);
    expect(judgeLedger(entries.slice(0, 4), 'token-bucket').violated).toBe(true);
    const unknown = judgeLedger(
      entries.map((entry) => ({ ...entry, tokens: null })),
      'any',
    );
    expect(unknown.violated).toBe(false);
    expect(unknown.keys[0]!.tokens).toStrictEqual({ least: 0, most: null });
  });

  it('draws no proof from an incomplete ledger, but can refute claims', () => {
    const findings = (left: number): ReadonlySet<string> => {
      const run = judgeLedger(ledgerFor(steadily(60, 100), { workers: 3 }), 'any', { left });
      expect(run.violated).toBe(true);
      return new Set(run.keys[0]!.checks.map(({ finding }) => finding));
    };
    expect(findings(0)).toContain('proved');
    expect(findings(1)).not.toContain('proved');
  });

  it('judges no key over several slices, since their clocks may differ', () => {
    const [slice] = healthyResult({}).slices;
    const entries = ledgerFor(steadily(60, 100), { workers: 3 });
    expect(judgeLedger(entries, 'any').keys).toHaveLength(1);
    const slices = [0, 1].map((index) => ({ ...slice!, index, count: 2 }));
    expect(judgeLedger(entries, 'any', { slices }).keys).toStrictEqual([]);
  });

  it('leaves limits undecided in a run that was stopped, is invalid, or is one slice of several', () => {
    const entries = ledgerFor(steadily(4, 100), {});
    const [slice] = healthyResult({}).slices;
    const findings = (circumstances: LedgerConditions): readonly string[] =>
      judgeLedger(entries, 'any', circumstances)
        .keys[0]!.checks.filter(({ violates }) => violates)
        .map(({ finding }) => finding);
    expect(findings({})).toStrictEqual(['proved', 'proved']);
    const inconclusive: readonly LedgerConditions[] = [
      { partial: 'stopped by Ctrl-C' },
      { level: 'invalid' },
      { slices: [{ ...slice!, count: 2 }] },
    ];
    for (const circumstances of inconclusive) {
      expect(findings(circumstances)).toStrictEqual(['undecided', 'undecided']);
    }
  });

  it('explains a mix of kinds of which some may not count', () => {
    const kinds = ['chat', 'speech', 'models', 'chat'] as const;
    const mixed = ledgerFor(steadily(100, 700), {}).map((entry, i) => ({
      ...entry,
      traffic: kinds[i % kinds.length]!,
    }));
    expect(judgeLedger(mixed, null).keys[0]!.explainedBy).toContain('fixed-from-first');
  });

  it.each([
    ['a server’s error', 503],
    ['a broken connection', 0],
  ])('explains a window in which %s counted, or did not', (_, status) => {
    const counted = ledgerFor(steadily(100, 700), {});
    const failing = counted.findIndex((entry) => entry.status === 200);
    const had = counted.map((entry, i) => (i === failing + 1 ? { ...entry, status } : entry));
    expect(judgeLedger(had, null).keys[0]!.explainedBy).toContain('fixed-from-first');
    const uncounted = { ...counted[failing]!, status, sent: 1, answered: 2, ended: 2 };
    const hadNot = [uncounted, ...counted].toSorted((a, b) => a.sent - b.sent);
    expect(judgeLedger(hadNot, null).keys[0]!.explainedBy).toContain('fixed-from-first');
  });
});

describe('the 429s of a key', () => {
  const refusal = (sent: number, fields: Partial<LedgerEntry>): LedgerEntry => ({
    ...blankLedgerEntry,
    sent,
    answered: sent + 10,
    ended: sent + 10,
    status: 429,
    tokens: null,
    unit: 'requests',
    form: 'error',
    ...fields,
  });
  const admitted = (sent: number): LedgerEntry => ({
    ...blankLedgerEntry,
    sent,
    answered: sent + 10,
    ended: sent + 20,
    status: 200,
    tokens: 30,
  });

  it('are counted by limit and form, and compared with what followed', () => {
    const entries = [
      admitted(0),
      refusal(1000, { retryAfter: 4000 }),
      refusal(2000, { retryAfter: 60_000, unit: null, form: 'none-429', resetIn: 1000 }),
      refusal(4500, { unit: 'tokens' }),
      admitted(5000),
      refusal(6000, { retryAfter: 2000 }),
      refusal(9500, {}),
    ];
    expect(judgeLedger(entries, null).keys[0]!.refusals).toStrictEqual({
      count: 5,
      first: 1010,
      last: 9510,
      units: { requests: 3, none: 1, tokens: 1 },
      forms: { error: 4, 'none-429': 1 },
      retryAfter: { exact: 1, conservative: 1, deceptive: 1, unknown: 0, absent: 2 },
      resetTime: { exact: 0, conservative: 0, deceptive: 1, unknown: 0, absent: 4 },
      stretches: 2,
      longestStretch: 4010,
    });
  });
});
