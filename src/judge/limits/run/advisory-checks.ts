import type { LedgerEntry } from '../../../model/observation/ledger.ts';
import { type LimitCheck, advisoryCheck } from '../../../model/limits/limit-log.ts';
import type { KeyRefusals, RetryAfterAccuracy } from '../../../model/limits/run-limits.ts';
import { checkClaim, type Claim, formatCount, reportedLimitClaim } from '../facts/check-claim.ts';
import { findingOf } from '../facts/rule-bounds.ts';
import type { KeyEvidence } from './key-evidence.ts';

const ledgerColumns = {
  requests: ['limitRequests', 'remainingRequests'],
  tokens: ['limitTokens', 'remainingTokens'],
} as const;
type Unit = keyof typeof ledgerColumns;

export const checkEntries = (claim: Claim<LedgerEntry>): LimitCheck =>
  checkClaim(
    claim,
    ({ traffic, sent, status }) =>
      `${traffic} sent at ${(sent / 1000).toFixed(3)} s, status ${status}`,
  );

/** Checks that responses have the two headers of each declared limit. */
export const checkLedgerHeaders = (
  { entries }: KeyEvidence,
  units: readonly Unit[],
): LimitCheck => {
  const expected = entries.filter(({ status }) => status !== 0 && status !== 401);
  const columns = units.flatMap((unit) => ledgerColumns[unit]);
  const wrong = expected.filter((entry) => columns.some((column) => entry[column] === null));
  const classes = new Set(
    wrong.map(({ status, traffic }) => (status < 300 ? traffic : String(status))),
  );
  const allText = `all ${formatCount(expected.length)} responses had them`;
  return checkEntries({
    id: 'headers-present',
    claim: `Every response has the limit headers of ${units.join(' and ')}.`,
    section: '8',
    unseen: expected.length === 0 ? allText : null,
    wrong,
    observed:
      wrong.length === 0
        ? allText
        : `${formatCount(wrong.length)} of ${formatCount(expected.length)} responses did not have all: ${[...classes].join(', ')}`,
  });
};

export const checkReportedLimit = (
  { unit, limit }: { readonly unit: Unit; readonly limit: number },
  { entries }: KeyEvidence,
): LimitCheck => {
  const [column] = ledgerColumns[unit];
  return checkEntries(reportedLimitClaim(unit, limit, entries, (entry) => entry[column]));
};

const accuracies = ['exact', 'conservative', 'deceptive', 'unknown', 'absent'] as const;

const checkRetryAccuracy = (
  [id, claim, section]: readonly [string, string, string | null],
  counts: RetryAfterAccuracy,
): LimitCheck =>
  advisoryCheck({
    id,
    claim,
    section,
    finding: findingOf(
      counts.exact + counts.conservative > 0 && counts.unknown === 0,
      counts.deceptive > 0,
    ),
    // For example `12 exact, 3 absent`.
    observed: accuracies
      .filter((name) => counts[name] > 0)
      .map((name) => `${formatCount(counts[name])} ${name}`)
      .join(', '),
  });

/** Checks the form of refusals, and the two ways in which they announce when the key is admitted again. */
export const checkKeyRefusals = (refusals: KeyRefusals): readonly LimitCheck[] => {
  const { forms, count, retryAfter, resetTime } = refusals;
  const documented = (forms.error ?? 0) + (forms['none-429'] ?? 0);
  const names = Object.entries(forms).map(([form, times]) => `${form} ${formatCount(times)}`);
  return [
    advisoryCheck({
      id: 'refusal-body',
      claim: 'The body of a 429 has one of the two documented forms.',
      section: '7',
      finding: findingOf(true, documented < count),
      observed: `forms: ${names.join(', ')}`,
    }),
    checkRetryAccuracy(
      ['retry-after', 'Retry-After never ends while the key is still refused.', null],
      retryAfter,
    ),
    checkRetryAccuracy(
      ['reset-time', 'At the reset time in a 429 the key is never still refused.', '7'],
      resetTime,
    ),
  ];
};
