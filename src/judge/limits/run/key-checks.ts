import {
  type LimitCheck,
  type LimiterClass,
  advisoryCheck,
} from '../../../model/limits/limit-log.ts';
import type {
  AdmittedPeak,
  KeyRefusals,
  RetryAfterAccuracy,
} from '../../../model/limits/run-limits.ts';
import type { LedgerEntry } from '../../../model/observation/ledger.ts';
import { milliseconds } from '../../../model/quantity.ts';
import { checkClaim, type Claim, formatCount, reportedLimitClaim } from '../facts/check-claim.ts';
import { type Charge, chargedBefore, mostWithin } from '../facts/interval-counts.ts';
import { findingOf, longestWindow, shortestWindow } from '../facts/rule-bounds.ts';
import { upperEnvelope } from '../facts/upper-envelope.ts';
import type { MinuteLimit, UsedUpLimits } from '../facts/explained-refusals.ts';
import { type KeyEvidence, minute } from '../facts/key-evidence.ts';
import { checkConstant, checkTokens } from './token-checks.ts';

const ledgerColumns = {
  requests: ['limitRequests', 'remainingRequests'],
  tokens: ['limitTokens', 'remainingTokens'],
} as const;
type Unit = keyof typeof ledgerColumns;

const checkEntries = (claim: Claim<LedgerEntry>): LimitCheck =>
  checkClaim(
    claim,
    ({ traffic, sent, status }) =>
      `${traffic} sent at ${(sent / 1000).toFixed(3)} s, status ${status}`,
  );

const checkLedgerHeaders = ({ entries }: KeyEvidence, units: readonly Unit[]): LimitCheck => {
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

const checkReportedLimit = (
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

const checkKeyRefusals = (refusals: KeyRefusals): readonly LimitCheck[] => {
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

const shortestMinute = shortestWindow(minute);
const longestMinute = longestWindow(minute);

export interface KeyLimit extends MinuteLimit {
  readonly charges: readonly Charge[];
}

interface ClassTraits {
  /** Whether usage above the limit is forgotten when a window ends, so that it leaves no debt. */
  readonly forgetsExcess?: true;
  /** Whether usage above the limit is forgotten one window after it was charged. */
  readonly forgetsAfterWindow?: true;
  /**
   * Whether a limiter of this class refuses only if it admitted the whole limit within the window before the refusal.
   */
  readonly refusesOnlyWhenFull?: true;
}

const traits: Readonly<Record<LimiterClass, ClassTraits>> = {
  'fixed-from-first': { forgetsExcess: true, refusesOnlyWhenFull: true },
  'fixed-any-phase': { forgetsExcess: true, refusesOnlyWhenFull: true },
  'fixed-aligned': { forgetsExcess: true, refusesOnlyWhenFull: true },
  'sliding-log': { forgetsAfterWindow: true, refusesOnlyWhenFull: true },
  'sliding-log-counting-refusals': { forgetsAfterWindow: true },
  'token-bucket': { refusesOnlyWhenFull: true },
  'burst-bucket': {},
  'sliding-counter': { forgetsExcess: true },
  'stepped-bucket': { refusesOnlyWhenFull: true },
  'leaky-queue': {},
  'in-flight': {},
};

export const fullestMinute = (charges: readonly Charge[]): AdmittedPeak => {
  const { least, most } = mostWithin(charges, minute);
  return { least, most: Number.isFinite(most) ? most : null };
};

/** Formats bounds, for example as `60`, `between 58 and 61` or `at least 1,000`. */
const boundsText = ({ least, most }: AdmittedPeak): string => {
  if (most === null) return `at least ${formatCount(least)}`;
  const from = formatCount(least);
  return least === most ? from : `between ${from} and ${formatCount(most)}`;
};

const checkMaxPerMinute = ({ unit, limit, charges }: KeyLimit): LimitCheck =>
  advisoryCheck({
    id: `most-${unit}`,
    claim: `At most ${formatCount(limit)} ${unit} were admitted within any minute.`,
    section: '8',
    finding: findingOf(
      mostWithin(charges, longestMinute).most <= limit,
      mostWithin(charges, shortestMinute).least > limit,
    ),
    observed: `the maximum was ${boundsText(fullestMinute(charges))}`,
  });

/**
 * Returns whether the permitted classes limit a rate. A cap on requests in flight is the only class that limits no
 * rate.
 */
const limitsRate = (permitted: readonly LimiterClass[]): boolean =>
  permitted.some((name) => name !== 'in-flight');

/**
 * Checks whether, in every span, the gateway admitted at most as many requests as a limiter of a permitted class
 * admits.
 */
const checkRequestsKept = (
  { limit, charges }: KeyLimit,
  permitted: readonly LimiterClass[],
): LimitCheck => {
  const { finding, worst } = upperEnvelope(
    charges,
    { limit, window: milliseconds(minute) },
    permitted,
  );
  return advisoryCheck({
    id: 'requests-kept',
    claim: `In no span were more requests admitted than a permitted limiter of ${formatCount(limit)} a minute can admit.`,
    section: '8',
    violates: true,
    finding,
    observed:
      worst === null
        ? `the maximum in a minute was ${boundsText(fullestMinute(charges))}`
        : `${formatCount(worst.admitted)} within ${worst.span / 1000} s, where at most ${formatCount(worst.allowed)} are admitted`,
  });
};

/**
 * Returns the refusals at which the limit was certainly not used up (`wrong`). `isFull` says whether the limit was
 * certainly used up at all refusals.
 */
const roomAt = (refusals: readonly LedgerEntry[], charges: readonly Charge[], limit: number) => {
  // Most runs have no refusal. In such runs, the sums of the charges would cost more time than the rest of the check.
  if (refusals.length === 0) return { wrong: [], isFull: true };
  const before = chargedBefore(charges);
  return {
    wrong: refusals.filter((entry) => before(entry, longestMinute).most < limit),
    isFull: refusals.every((entry) => before(entry, shortestMinute).least >= limit),
  };
};

const checkRoom = (
  { limit, charges }: KeyLimit,
  { entries, refused }: KeyEvidence,
  hasTokenLimit: boolean,
  permitted: readonly LimiterClass[],
): LimitCheck => {
  const begin = entries[0]?.sent ?? 0;
  // Refusals after the first minute that nothing but the limit of requests can explain.
  const attributable = refused.filter(
    ({ sent, unit }) =>
      sent >= begin + longestMinute && (unit === 'requests' || (unit === null && !hasTokenLimit)),
  );
  const { wrong, isFull } = roomAt(attributable, charges, limit);
  const check = checkEntries({
    id: 'refused-only-when-full',
    claim: `Requests were refused only if ${formatCount(limit)} had been admitted within the minute before.`,
    section: '8',
    // If there are no such refusals, the check cannot be a violation.
    violates:
      attributable.length > 0 &&
      permitted.every((name) => traits[name].refusesOnlyWhenFull === true),
    unseen:
      attributable.length === 0
        ? 'no 429 for requests after the first minute; earlier ones can be due to other users of the key'
        : null,
    wrong,
    observed: `${formatCount(wrong.length)} of ${formatCount(attributable.length)} refusals after the first minute came with room left, if no one else used the key`,
  });
  return check.finding === 'proved' && !isFull ? { ...check, finding: 'undecided' } : check;
};

export interface KeyTerms {
  readonly permitted: readonly LimiterClass[];
  /** Whether the scenario names a limiter class. It thereby promises that nobody else uses the key. */
  readonly isOwnKey: boolean;
  readonly usedUp: UsedUpLimits;
}

export const checkKey = (
  evidence: KeyEvidence,
  limits: readonly KeyLimit[],
  refusals: KeyRefusals | null,
  { permitted, isOwnKey, usedUp }: KeyTerms,
): readonly LimitCheck[] => {
  const units = limits.map(({ unit }) => unit);
  const requests = limits.find(({ unit }) => unit === 'requests') ?? null;
  const forgottenIn = (windows: number): number => {
    if (permitted.some((name) => traits[name].forgetsExcess)) return windows;
    return permitted.some((name) => traits[name].forgetsAfterWindow) ? windows - 1 : 0;
  };
  const checkRate = (each: KeyLimit): readonly LimitCheck[] => {
    if (!limitsRate(permitted)) return [];
    if (each.unit === 'requests') return [checkRequestsKept(each, permitted)];
    const peakText = boundsText(fullestMinute(each.charges));
    const { limit } = each;
    const terms = { limit, requests: requests?.limit ?? null, evidence, permitted, forgottenIn };
    return checkTokens({ ...terms, isOwnKey, usedUp, peakText }, checkEntries);
  };
  return [
    ...limits.flatMap((limit) => [
      checkMaxPerMinute(limit),
      ...checkRate(limit),
      checkConstant(limit, evidence),
    ]),
    ...(requests === null ? [] : [checkRoom(requests, evidence, limits.length > 1, permitted)]),
    ...(limits.length > 0 ? [checkLedgerHeaders(evidence, units)] : []),
    ...limits.map((limit) => checkReportedLimit(limit, evidence)),
    ...(refusals === null ? [] : checkKeyRefusals(refusals)),
  ];
};
