// @gate 1 s
import { describe, expect, it } from 'vitest';
import { steadyTokens } from '../../judge/limits/facts/token-laws.fixture.ts';
import {
  chargings,
  randomFrom,
  seenTokens,
  tokenStores,
  type TokenGateway,
} from '../../judge/limits/facts/true-token-limiters.fixture.ts';
import { sampleRunResult } from '../../report/fixtures/sample-result.fixture.ts';
import { emptyOutcomeCounts } from '../../model/measures/outcome-counts.ts';
import type { LedgerEntry } from '../../model/observation/ledger.ts';
import { blankLedgerEntry, judgeLedger } from './judged-ledgers.fixture.ts';

const limit = 200_000;
const overload = steadyTokens(2.5, 4, 1 / 45);
const below = steadyTokens(8, 0.8, 1 / 200);

const grid: TokenGateway = {
  store: tokenStores['fixed window on a grid'],
  charging: chargings['charged at the end'],
};
/** It counts more tokens than it reports as used, and never corrects that. */
const countingMore = (ratio: number): TokenGateway => {
  const ownCount = ({ prompt, maxTokens }: { prompt: number; maxTokens: number }): number =>
    ratio * (prompt + maxTokens);
  const charging = { asks: ownCount, atStart: ownCount, atEnd: () => 0 };
  return { store: tokenStores['sliding log'], charging };
};
const reserving = { ...grid, charging: chargings['reserved at the start, then corrected'] };

/** The ledger of a run against a gateway in virtual time. */
const ledgerOf = (gateway: TokenGateway, load = overload, seed = 1): readonly LedgerEntry[] =>
  seenTokens(gateway, load(), { limit, window: 60_000, random: randomFrom(seed) }).map(
    (request) => ({
      ...blankLedgerEntry,
      ...request,
      limitRequests: null,
      remainingRequests: null,
      limitTokens: limit,
      form: request.status === 429 ? 'error' : null,
    }),
  );

const [group] = sampleRunResult().groups;
const labels = { ...group!.labels, key: 'k', traffic: 'chat' as const, warmUp: false };
const groups = [{ ...group!, labels, outcomes: { ...emptyOutcomeCounts(), limited: 1e6 } }];

const judged = (entries: readonly LedgerEntry[], limiter: 'any' | 'fixed-aligned' = 'any') => {
  const run = judgeLedger(entries, limiter, {
    tokensPerMinute: limit,
    requestsPerMinute: 1e6,
    groups,
  });
  const findings = run.keys[0]!.checks.map(({ id, finding }) => [id, finding] as const);
  return { ...run, findings: Object.fromEntries(findings), key: run.keys[0]! };
};

const refusalsIn = (entries: readonly LedgerEntry[]): number =>
  entries.filter(({ status }) => status === 429).length;

describe('a run above the limit of tokens', () => {
  it.each([
    ['charges at the end', grid],
    ['reserves', reserving],
  ])('has only explained 429s at a gateway that %s', (_, gateway) => {
    const entries = ledgerOf(gateway);
    const { explained, findings, violated, key } = judged(entries);
    expect(refusalsIn(entries)).toBeGreaterThan(100);
    expect(explained).toBe(refusalsIn(entries));
    expect(findings).toMatchObject({ 'tokens-refused-only-when-full': 'proved' });
    expect(findings['refusal-names-limit']).toBe('proved');
    expect(violated).toBe(false);
    // All 429s name tokens, so no class of limiters of requests is sought.
    expect(key.explainedBy).toBeNull();
    expect(findings['limit-explained']).toBeUndefined();
  });

  const unexplainedIn = (entries: readonly LedgerEntry[]): number =>
    refusalsIn(entries) - judged(entries).explained!;

  it.each([1.15, 1.3])(
    'has only explained 429s at a gateway that counts %f times the usage, if it says what remains',
    (ratio) => {
      const entries = ledgerOf(countingMore(ratio));
      expect(unexplainedIn(entries)).toBe(0);
      const silent = entries.map((entry) => ({ ...entry, remainingTokens: null }));
      expect(unexplainedIn(silent)).toBeGreaterThan(0);
    },
  );

  it.each([
    ['a lower limit', { ...countingMore(1), times: 0.7 }],
    ['a lower limit that is reserved', { ...reserving, store: countingMore(1).store, times: 0.7 }],
    ['nearly a double count', countingMore(1.9)],
  ])('takes %s for no count of tokens, whatever is said to remain', (_, gateway) => {
    const small = steadyTokens(2.5, 1.5, 1 / 60);
    expect(unexplainedIn(ledgerOf(gateway, small))).toBeGreaterThan(0);
  });

  it('takes no 429 at its word that nothing remains', () => {
    const early = { ...grid, store: tokenStores['sliding log'], times: 0.7 };
    const entries = ledgerOf(early);
    // It refuses at 0.7 of the limit, and reports what remains of the whole.
    const overstated = entries.map((entry) => ({
      ...entry,
      remainingTokens: entry.status === 429 ? 0 : (entry.remainingTokens ?? 0) + 0.3 * limit,
    }));
    expect(unexplainedIn(overstated)).toBeGreaterThan(0);
    expect(unexplainedIn(overstated)).toBe(unexplainedIn(entries));
  });

  it('is violated by three replicas, which forget nothing that a single limiter would', () => {
    const { findings, violated } = judged(ledgerOf({ ...grid, replicas: 3 }));
    expect(findings).toMatchObject({ 'tokens-kept': 'refuted' });
    expect(violated).toBe(true);
  });

  it('has 429s that nothing explains at a gateway that refuses 30 % early', () => {
    const early = { ...grid, store: tokenStores['sliding log'], times: 0.7 };
    const entries = ledgerOf(early);
    const { explained, findings, violated } = judged(entries);
    expect(explained).toBeLessThan(refusalsIn(entries));
    expect(findings).toMatchObject({ 'tokens-refused-only-when-full': 'refuted' });
    expect(violated).toBe(false);
  });

  it('shows 429s that name requests where only tokens can be used up', () => {
    const entries = ledgerOf(grid).map((entry) => ({
      ...entry,
      unit: entry.status === 429 ? ('requests' as const) : null,
    }));
    const { explained, findings } = judged(entries);
    expect(findings).toMatchObject({ 'refusal-names-limit': 'refuted' });
    expect(explained).toBe(0);
  });

  it('shows a reported rest that never falls', () => {
    const withRest = (restAt: (place: number) => number) =>
      judged(ledgerOf(grid).map((entry, i) => ({ ...entry, remainingTokens: restAt(i) }))).findings;
    expect(withRest(() => limit)).toMatchObject({ 'remaining-tokens-fall': 'refuted' });
    expect(withRest((i) => limit - i)).toMatchObject({ 'remaining-tokens-fall': 'proved' });
  });
});

describe('a run below the limit of tokens', () => {
  const early = { ...grid, times: 0.7 };

  it('shows early refusals, which violate only where the scenario promises an own key', () => {
    const entries = ledgerOf(early, below);
    expect(judged(entries).findings).toMatchObject({ 'tokens-refused-early': 'refuted' });
    expect(judged(entries).violated).toBe(false);
    expect(judged(entries, 'fixed-aligned').violated).toBe(true);
  });

  it('takes refusals that name no limit for tokens only if requests certainly had room', () => {
    const entries = ledgerOf(early, below).map((entry) => ({ ...entry, unit: null }));
    expect(judged(entries).findings).toMatchObject({ 'tokens-refused-early': 'refuted' });
    const few = judgeLedger(entries, 'any', { tokensPerMinute: limit, requestsPerMinute: 100 });
    const found = few.keys[0]!.checks.find(({ id }) => id === 'tokens-refused-early');
    expect(found).toMatchObject({ finding: 'undecided' });
  });
});

it('cached prompt tokens are not certainly charged', () => {
  const entries = ledgerOf({ ...grid, times: 1e6 }).map((entry) => ({
    ...entry,
    cached: entry.tokens === null ? null : 0.9 * entry.tokens,
  }));
  expect(judged(entries).findings).not.toMatchObject({ 'tokens-kept': 'refuted' });
});
