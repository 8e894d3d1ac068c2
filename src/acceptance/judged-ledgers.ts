import { judgeRunLimits } from '../judge/limits/judge-run-limits.ts';
import { sampleResult } from '../judge/sample-result.ts';
import { type LedgerEntry, ledgerRow } from '../model/ledger.ts';
import type { LimiterClass } from '../model/limit-log.ts';
import { completeLimits } from '../model/mock-limits.ts';
import { freshAllowance } from '../mock/limits/allowance.ts';
import { type SettingsInput, settingsSchema } from '../mock/settings.ts';
import type { Result } from '../model/result.ts';
import type { TrustLevel } from '../model/verdict.ts';

/** Test support: ordinary runs against the reference gateway's limiters on a clock of numbers, judged by what their ledgers hold. */

export const limit = 5;

export interface Arrival {
  readonly after: number;
  /** The way there and back. */
  readonly there: number;
  readonly back: number;
}

export const untold: Omit<LedgerEntry, 'sent' | 'answered' | 'ended' | 'status' | 'tokens'> = {
  ...{ limitRequests: limit, remainingRequests: 0, limitTokens: null, remainingTokens: null },
  ...{ traffic: 'chat', unit: null, form: null, retryAfter: null, resetIn: null },
};

/** What a key's ledger holds after these arrivals. */
export const ledgerOf = (
  list: readonly Arrival[],
  limits: NonNullable<SettingsInput['limits']>,
): readonly LedgerEntry[] => {
  const settings = settingsSchema.parse({ limits: { requestsPerMinute: limit, ...limits } });
  const allowance = freshAllowance(completeLimits(settings.limits), 0);
  let sent = 0;
  const sentAt = list.map(({ after, there, back }) => {
    sent += after;
    return { sent, decided: sent + there, answered: sent + there + back };
  });
  const decided = sentAt
    .toSorted((a, b) => a.decided - b.decided)
    .map((one) => ({ ...one, admission: allowance.ask(one.decided) }));
  return decided
    .map(({ sent: from, answered, admission }): LedgerEntry => {
      const times = { sent: from, answered, ended: answered };
      return admission.admitted
        ? { ...untold, ...times, status: 200, tokens: 30 }
        : { ...untold, ...times, status: 429, tokens: null, unit: 'requests', form: 'error' };
    })
    .toSorted((a, b) => a.sent - b.sent);
};

export interface Circumstances extends Partial<Result> {
  readonly tokensPerMinute?: number;
  readonly left?: number;
  readonly level?: TrustLevel;
}

export const judged = (
  entries: readonly LedgerEntry[],
  limiter: LimiterClass | 'any' | null,
  { tokensPerMinute = 2_000_000, left = 0, level = 'valid', ...differing }: Circumstances = {},
) => {
  const result = sampleResult({});
  const requestsPerMinute = tokensPerMinute < 2_000_000 ? null : limit;
  const limits = { requestsPerMinute, tokensPerMinute, limiter };
  return judgeRunLimits(
    {
      ...{ ...result, ...differing, plan: { ...result.plan, limits } },
      ledger: [{ key: 'k', rows: entries.map(ledgerRow), left }],
    },
    { level, evidence: [] },
  );
};
