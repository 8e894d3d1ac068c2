import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LedgerEntry } from '../model/ledger.ts';
import { completeLimits, limiterKinds } from '../model/mock-limits.ts';
import { freshAllowance } from '../mock/limits/allowance.ts';
import { settingsSchema } from '../mock/settings.ts';
import { judged, ledgerOf, untold } from './judged-ledgers.ts';

const arrivals = fc.array(
  fc.record({
    after: fc.oneof(fc.constant(0), fc.nat(300), fc.nat(9000)),
    there: fc.nat(120),
    back: fc.nat(120),
  }),
  { minLength: 3, maxLength: 40 },
);

describe('the judge of a run’s limits', () => {
  it('never finds a violation in what a limiter of the reference gateway decided, its own class named or not', () => {
    fc.assert(
      fc.property(fc.constantFrom(...limiterKinds), arrivals, (algorithm, list) => {
        const entries = ledgerOf(list, { algorithm, steps: 3 });
        expect(judged(entries, 'any').violated).toBe(false);
        expect(judged(entries, algorithm).violated).toBe(false);
      }),
      { numRuns: 100 },
    );
  });

  it('blames no window for what was under way at its end, when its tokens were charged', () => {
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
          const settings = completeLimits(settingsSchema.parse({ limits }).limits);
          const allowance = freshAllowance(settings, 0);
          const charges: { at: number; charge: () => void }[] = [];
          let sent = 0;
          const entries = list.map(({ after, takes, tokens }): LedgerEntry => {
            sent += after;
            const [from, at] = [sent, sent + takes];
            charges.sort((a, b) => a.at - b.at);
            while (charges.length > 0 && charges[0]!.at <= from) charges.shift()!.charge();
            const admission = allowance.ask(from);
            if (!admission.admitted) {
              const times = { sent: from, answered: from, ended: from };
              return { ...untold, ...times, status: 429, tokens: null, unit: 'tokens' };
            }
            charges.push({ at, charge: () => admission.charge(at, tokens) });
            return { ...untold, sent: from, answered: from, ended: at, status: 200, tokens };
          });
          expect(judged(entries, 'any', { tokensPerMinute: 1000 }).violated).toBe(false);
          expect(judged(entries, algorithm, { tokensPerMinute: 1000 }).violated).toBe(false);
        },
      ),
      { numRuns: 60 },
    );
  });
});
