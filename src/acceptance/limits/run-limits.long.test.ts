import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LedgerEntry } from '../../model/observation/ledger.ts';
import { resolveMockLimits, mockLimiterClasses } from '../../model/gateway/mock-limits.ts';
import { openKeyLimiter } from '../../mock/limits/key-limiter.ts';
import { settingsSchema } from '../../mock/settings/settings.ts';
import { judgeLedger, ledgerFor, blankLedgerEntry } from './judged-ledgers.fixture.ts';

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
            charges.push({ at, charge: () => admission.charge(at, tokens) });
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
});
