import type { LedgerEntry } from '../../../model/observation/ledger.ts';
import type { KeyRefusals, RetryAfterAccuracy } from '../../../model/limits/run-limits.ts';
import { countBefore } from '../limiter/decision-history.ts';
import type { KeyEvidence } from './key-evidence.ts';
import { type RefusalFollowUp, retryAfterAccuracyOf } from '../facts/retry-after-accuracy.ts';

type FollowUpOf = (refusal: LedgerEntry) => RefusalFollowUp;

const followUpsIn = ({ admitted, refused }: KeyEvidence): FollowUpOf => {
  const admittedFrom = Float64Array.from(admitted, ({ sent }) => sent);
  const refusedFrom = Float64Array.from(refused, ({ sent }) => sent);
  return (refusal) => {
    // Requests that overlap the refusal have no order.
    const next = admitted[countBefore(admittedFrom, refusal.answered)];
    const last = refused[countBefore(refusedFrom, next?.sent ?? Number.POSITIVE_INFINITY) - 1];
    const stillRefused = Math.max(last?.sent ?? refusal.sent, refusal.sent);
    return { stillRefused, admittedAgain: next?.answered ?? null };
  };
};

const countAccuracy = (
  { refused }: KeyEvidence,
  followUpOf: FollowUpOf,
  wait: (entry: LedgerEntry) => number | null,
): RetryAfterAccuracy => {
  const counts = { exact: 0, conservative: 0, deceptive: 0, unknown: 0, absent: 0 };
  for (const refusal of refused) {
    const reportedWait = wait(refusal);
    if (reportedWait === null) counts.absent += 1;
    else counts[retryAfterAccuracyOf(refusal.answered + reportedWait, followUpOf(refusal))] += 1;
  }
  return counts;
};

const counted = <Name extends string>(names: readonly Name[]): Partial<Record<Name, number>> => {
  const counts: Partial<Record<Name, number>> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
};

/** Maximum length of each blocked period, from its first refusal to the next admission; `null` if it has not ended. */
const blockedPeriods = (
  { refused }: KeyEvidence,
  followUpOf: FollowUpOf,
): readonly (number | null)[] => {
  const firstRefusals = new Map<number | null, number>();
  for (const refusal of refused) {
    const { admittedAgain } = followUpOf(refusal);
    if (!firstRefusals.has(admittedAgain)) firstRefusals.set(admittedAgain, refusal.sent);
  }
  return [...firstRefusals].map(([admitted, first]) =>
    admitted === null ? null : admitted - first,
  );
};

/** Summary of the 429s of a key; `null` without any. */
export const keyRefusals = (evidence: KeyEvidence): KeyRefusals | null => {
  const { refused } = evidence;
  if (refused.length === 0) return null;
  const followUpOf = followUpsIn(evidence);
  const periodLengths = blockedPeriods(evidence, followUpOf);
  const ended = periodLengths.filter((length) => length !== null);
  return {
    count: refused.length,
    first: refused.reduce((least, { answered }) => Math.min(least, answered), Infinity),
    last: refused.reduce((most, { answered }) => Math.max(most, answered), 0),
    units: counted(refused.map(({ unit }) => unit ?? 'none')),
    forms: counted(refused.flatMap(({ form }) => form ?? [])),
    retryAfter: countAccuracy(evidence, followUpOf, ({ retryAfter }) => retryAfter),
    resetTime: countAccuracy(evidence, followUpOf, ({ resetIn }) => resetIn),
    stretches: periodLengths.length,
    longestStretch: ended.length === 0 ? null : Math.max(...ended),
  };
};
