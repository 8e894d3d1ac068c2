import { type LimitCheck, advisoryCheck } from '../../../model/limits/limit-log.ts';
import type { KeyRefusals, RetryAfterAccuracy } from '../../../model/limits/run-limits.ts';
import { type KeyEvidence, ledgerEvidence, formatCount } from './key-evidence.ts';
import { findingOf } from '../facts/limit-facts.ts';

const ledgerColumns = {
  requests: ['limitRequests', 'remainingRequests'],
  tokens: ['limitTokens', 'remainingTokens'],
} as const;

/** Whether responses have the two headers of each declared limit. */
export const checkLedgerHeaders = (
  { entries }: KeyEvidence,
  units: readonly (keyof typeof ledgerColumns)[],
): LimitCheck => {
  const expectedEntries = entries.filter(({ status }) => status !== 0 && status !== 401);
  const lacking = expectedEntries.filter((entry) =>
    units.flatMap((unit) => ledgerColumns[unit]).some((column) => entry[column] === null),
  );
  const classes = new Set(
    lacking.map(({ status, traffic }) => (status < 300 ? traffic : String(status))),
  );
  return advisoryCheck({
    id: 'headers-present',
    claim: `Every response has the limit headers of ${units.join(' and ')}.`,
    section: '8',
    finding: expectedEntries.length === 0 ? 'undecided' : findingOf(true, lacking.length > 0),
    observed:
      lacking.length === 0
        ? `all ${formatCount(expectedEntries.length)} responses had them`
        : `${formatCount(lacking.length)} of ${formatCount(expectedEntries.length)} responses did not have all: ${[...classes].join(', ')}`,
    evidence: ledgerEvidence(lacking),
  });
};

export const checkReportedLimit = (
  { unit, limit }: { readonly unit: 'requests' | 'tokens'; readonly limit: number },
  { entries }: KeyEvidence,
): LimitCheck => {
  const column = unit === 'requests' ? 'limitRequests' : 'limitTokens';
  const reported = entries.filter((entry) => entry[column] !== null);
  const other = reported.filter((entry) => entry[column] !== limit);
  const values = [...new Set(reported.map((entry) => entry[column]!))].toSorted((a, b) => a - b);
  return advisoryCheck({
    id: `limit-${unit}`,
    claim: `The headers always name a limit of ${formatCount(limit)} ${unit}.`,
    section: '8',
    finding: reported.length === 0 ? 'undecided' : findingOf(true, other.length > 0),
    observed:
      reported.length === 0
        ? 'no header named a limit'
        : `named: ${values.map(formatCount).join(', ')}`,
    evidence: ledgerEvidence(other),
  });
};

/** `12 exact, 3 absent`. */
const accuracyText = (accuracyCounts: RetryAfterAccuracy): string =>
  (['exact', 'conservative', 'deceptive', 'unknown', 'absent'] as const)
    .filter((name) => accuracyCounts[name] > 0)
    .map((name) => `${formatCount(accuracyCounts[name])} ${name}`)
    .join(', ');

export const checkRetryAccuracy = (
  [id, claim, section]: readonly [string, string, string | null],
  accuracyCounts: RetryAfterAccuracy,
): LimitCheck =>
  advisoryCheck({
    id,
    claim,
    section,
    finding: findingOf(
      accuracyCounts.exact + accuracyCounts.conservative > 0 && accuracyCounts.unknown === 0,
      accuracyCounts.deceptive > 0,
    ),
    observed: accuracyText(accuracyCounts),
  });

export const checkRefusalForms = ({ forms, count }: KeyRefusals): LimitCheck => {
  const documented = (forms.error ?? 0) + (forms['none-429'] ?? 0);
  const names = Object.entries(forms).map(([form, times]) => `${form} ${formatCount(times)}`);
  return advisoryCheck({
    id: 'refusal-body',
    claim: 'The body of a 429 has one of the two documented forms.',
    section: '7',
    finding: findingOf(true, documented < count),
    observed: `forms: ${names.join(', ')}`,
    evidence: [],
  });
};
