// @gate 2 s
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { healthyResult } from '../../judge/sample-result.fixture.ts';
import type { LimiterClass } from '../../model/limits/limit-log.ts';
import { emptyOutcomeCounts } from '../../model/measures/outcome-counts.ts';
import type { LedgerEntry } from '../../model/observation/ledger.ts';
import { sampleRunResult as reportedResult } from '../../report/fixtures/sample-result.fixture.ts';
import { resolveMockLimits, mockLimiterClasses } from '../../model/gateway/mock-limits.ts';
import { openKeyLimiter } from '../../mock/limits/key-limiter.ts';
import { settingsSchema } from '../../mock/settings/settings.ts';
import {
  blankLedgerEntry,
  judgeLedger,
  ledgerFor,
  requestLimit,
  steadily,
} from './judged-ledgers.fixture.ts';

const arrivals = fc.array(
  fc.record({
    gap: fc.oneof(fc.constant(0), fc.nat(300), fc.nat(9000)),
    requestDelay: fc.nat(120),
    responseDelay: fc.nat(120),
  }),
  { minLength: 3, maxLength: 40 },
);

describe('the judge of a run’s limits', () => {
  it('never finds a violation in the decisions of a reference limiter, with or without its class declared', () => {
    fc.assert(
      fc.property(fc.constantFrom(...mockLimiterClasses), arrivals, (algorithm, list) => {
        const entries = ledgerFor(list, { algorithm, steps: 3 });
        expect(judgeLedger(entries, 'any').violated).toBe(false);
        expect(judgeLedger(entries, algorithm).violated).toBe(false);
      }),
      { numRuns: 100 },
    );
  });

  it('finds no violation in requests in flight at the end of a window, whose tokens are charged later', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(
          'fixed-from-first',
          'fixed-aligned',
          'sliding-counter',
          'sliding-log',
          'token-bucket',
          'stepped-bucket',
        ),
        fc.array(
          fc.record({
            after: fc.oneof(fc.constant(0), fc.nat(500), fc.nat(30_000)),
            takes: fc.nat(4000),
            tokens: fc.nat(900),
          }),
          { minLength: 5, maxLength: 60 },
        ),
        (algorithm, list) => {
          const limits = { algorithm, requestsPerMinute: null, tokensPerMinute: 1000, steps: 3 };
          const settings = resolveMockLimits(settingsSchema.parse({ limits }).limits);
          const allowance = openKeyLimiter(settings, 0);
          const charges: { at: number; charge: () => void }[] = [];
          let sent = 0;
          const entries = list.map(({ after, takes, tokens }): LedgerEntry => {
            sent += after;
            const [from, at] = [sent, sent + takes];
            charges.sort((a, b) => a.at - b.at);
            while (charges.length > 0 && charges[0]!.at <= from) charges.shift()!.charge();
            const admission = allowance.admit(from);
            if (!admission.admitted) {
              const times = { sent: from, answered: from, ended: from };
              return { ...blankLedgerEntry, ...times, status: 429, tokens: null, unit: 'tokens' };
            }
            const use = { cachedTokens: 0, written: tokens, whole: tokens, isCut: false };
            charges.push({ at, charge: () => admission.charge(at, use) });
            return {
              ...blankLedgerEntry,
              sent: from,
              answered: from,
              ended: at,
              status: 200,
              tokens,
            };
          });
          expect(judgeLedger(entries, 'any', { tokensPerMinute: 1000 }).violated).toBe(false);
          expect(judgeLedger(entries, algorithm, { tokensPerMinute: 1000 }).violated).toBe(false);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('counts only the 429s that the declared limit explains, and none if the ledger is incomplete', () => {
    const [group] = reportedResult().groups;
    const outcomes = { ...emptyOutcomeCounts(), limited: 100 };
    const labels = { ...group!.labels, traffic: 'chat' as const, warmUp: false };
    const run = { groups: [{ ...group!, labels, outcomes }] };
    const steady = steadily(12, 100);
    const whole = ledgerFor(steady, { algorithm: 'sliding-log' });
    expect(judgeLedger(whole, null, run).explained).toBe(12 - requestLimit);
    // A bucket of one token is full long before a minute's limit is reached.
    const early = ledgerFor(steady, { algorithm: 'burst-bucket', burstShare: 0.2 });
    expect(early.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
    expect(judgeLedger(early, null, run).explained).toBe(0);
    expect(judgeLedger(whole, null, { ...run, left: 1 }).explained).toBeNull();
    const [slice] = healthyResult({}).slices;
    expect(judgeLedger(whole, null, { ...run, slices: [slice!, slice!] }).explained).toBeNull();
  });

  it('leaves a limit undecided if no permitted class explains its refusals', () => {
    const half = ledgerFor(steadily(200, 700), { requestsPerMinute: 2 });
    const explained = (limiter: LimiterClass | 'any', entries = half) =>
      judgeLedger(entries, limiter).keys[0]!.checks.find(({ id }) => id === 'limit-explained')!
        .finding;
    expect(explained('any')).toBe('undecided');
    expect(judgeLedger(half, 'any').violated).toBe(false);
    const bucket = ledgerFor(steadily(200, 700), { algorithm: 'token-bucket' });
    expect(explained('token-bucket', bucket)).toBe('proved');
    expect(explained('fixed-from-first', bucket)).toBe('undecided');
  });
});
