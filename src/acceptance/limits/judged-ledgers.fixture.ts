import { judgeRunLimits } from '../../judge/limits/run/judge-run-limits.ts';
import { healthyResult } from '../../judge/sample-result.fixture.ts';
import { type LedgerEntry, toLedgerRow } from '../../model/observation/ledger.ts';
import type { LimiterClass } from '../../model/limits/limit-log.ts';
import { blankChatColumns } from '../../model/observation/sample-ledger-entry.fixture.ts';
import { resolveMockLimits } from '../../model/gateway/mock-limits.ts';
import { openKeyLimiter } from '../../mock/limits/key-limiter.ts';
import { type SettingsInput, settingsSchema } from '../../mock/settings/settings.ts';
import type { Result } from '../../model/result/result.ts';
import type { TrustLevel } from '../../model/result/verdict.ts';

/** Runs against the reference gateway's limiters at given times, judged by their ledgers. */

export const requestLimit = 5;

export interface TimedRequest {
  readonly gap: number;
  /** Network delays of the request and of the response, in ms. */
  readonly requestDelay: number;
  readonly responseDelay: number;
}

export const blankLedgerEntry = {
  ...blankChatColumns,
  limitRequests: requestLimit,
  remainingRequests: 0,
};

/** The ledger of a key after these requests. */
export const ledgerFor = (
  list: readonly TimedRequest[],
  limits: NonNullable<SettingsInput['limits']>,
): readonly LedgerEntry[] => {
  const settings = settingsSchema.parse({ limits: { requestsPerMinute: requestLimit, ...limits } });
  const allowance = openKeyLimiter(resolveMockLimits(settings.limits), 0);
  let sent = 0;
  const sentAt = list.map(({ gap, requestDelay, responseDelay }) => {
    sent += gap;
    return { sent, decided: sent + requestDelay, answered: sent + requestDelay + responseDelay };
  });
  const decided = sentAt
    .toSorted((a, b) => a.decided - b.decided)
    .map((one) => ({ ...one, admission: allowance.admit(one.decided) }));
  return decided
    .map(({ sent: from, answered, admission }): LedgerEntry => {
      const times = { sent: from, answered, ended: answered };
      return admission.admitted
        ? { ...blankLedgerEntry, ...times, status: 200, tokens: 30 }
        : {
            ...blankLedgerEntry,
            ...times,
            status: 429,
            tokens: null,
            unit: 'requests',
            form: 'error',
          };
    })
    .toSorted((a, b) => a.sent - b.sent);
};

export interface LedgerConditions extends Partial<Result> {
  readonly tokensPerMinute?: number;
  readonly requestsPerMinute?: number | null;
  readonly left?: number;
  readonly level?: TrustLevel;
}

export const judgeLedger = (
  entries: readonly LedgerEntry[],
  limiter: LimiterClass | 'any' | null,
  {
    tokensPerMinute = 2_000_000,
    requestsPerMinute = tokensPerMinute < 2_000_000 ? null : requestLimit,
    left = 0,
    level = 'valid',
    ...changes
  }: LedgerConditions = {},
) => {
  const result = healthyResult({});
  const limits = { requestsPerMinute, tokensPerMinute, limiter };
  return judgeRunLimits(
    {
      ...result,
      ...changes,
      plan: { ...result.plan, limits },
      ledger: [{ key: 'k', rows: entries.map(toLedgerRow), left }],
    },
    { level, evidence: [], figures: [] },
  );
};

/** So many requests, each so many ms after the one before. */
export const steadily = (count: number, gap: number): readonly TimedRequest[] =>
  Array.from({ length: count }, () => ({ gap, requestDelay: 20, responseDelay: 20 }));
