import type { LedgerEntry } from '../../../model/observation/ledger.ts';
import type { LimitCheck, LimiterClass } from '../../../model/limits/limit-log.ts';
import type { AdmittedPeak, KeyRefusals } from '../../../model/limits/run-limits.ts';
import { type Charge, chargedBefore, mostWithin } from '../facts/interval-counts.ts';
import type { KeyEvidence } from './key-evidence.ts';
import {
  checkRefusalForms,
  checkLedgerHeaders,
  checkRetryAccuracy,
  checkReportedLimit,
} from './advisory-checks.ts';
import { ledgerEvidence, formatCount } from './ledger-evidence.ts';
import { findingOf, windowTolerance } from '../facts/limit-facts.ts';

/** The claims about one key that an ordinary run's ledger can decide. */

/** The length that limits per minute are about, in ms. */
export const minute = 60_000;
const shorter = minute - windowTolerance(minute);
const longer = minute + windowTolerance(minute);

/** What one limit of a key is: its declared number per minute, and what its requests took of it. */
export interface KeyLimit {
  readonly unit: 'requests' | 'tokens';
  readonly limit: number;
  readonly charges: readonly Charge[];
}

/**
 * How many times its limit a class lets through within one window at most: windows that adjoin and
 * full buckets twice, logs once. A cap in flight knows no rate: it excuses any where it alone is
 * permitted, and none beside others.
 */
const maxLimitMultiple = {
  'fixed-from-first': 2,
  'fixed-aligned': 2,
  'sliding-log': 1,
  'sliding-log-counting-refusals': 1,
  'token-bucket': 2,
  'burst-bucket': 2,
  'sliding-counter': 2,
  'stepped-bucket': 2,
  'leaky-queue': 2,
  'in-flight': Number.POSITIVE_INFINITY,
} as const satisfies Record<LimiterClass, number>;

/** Classes that forget with a window what was charged in it beyond the limit; the others keep it as a debt. */
const forgetsExcess = {
  'fixed-from-first': true,
  'fixed-aligned': true,
  'sliding-log': false,
  'sliding-log-counting-refusals': false,
  'token-bucket': false,
  'burst-bucket': false,
  'sliding-counter': true,
  'stepped-bucket': false,
  'leaky-queue': false,
  'in-flight': false,
} as const satisfies Record<LimiterClass, boolean>;

/** The most that was under way beside an admission, itself included: by so much can tokens that are charged after the answer exceed a limit. */
const maxInFlightCharge = (
  charges: readonly Charge[],
  admitted: KeyEvidence['admitted'],
): number => {
  const surely = chargedBefore(charges.map((charge) => ({ ...charge, most: charge.least })));
  return admitted.reduce((deepest, entry) => Math.max(deepest, surely(entry, 0).most), 0);
};

/** Classes that refuse nothing before a whole limit was let in within the window before. */
const refusesOnlyWhenFull = {
  'fixed-from-first': true,
  'fixed-aligned': true,
  'sliding-log': true,
  'sliding-log-counting-refusals': false,
  'token-bucket': true,
  'burst-bucket': false,
  'sliding-counter': false,
  'stepped-bucket': true,
  'leaky-queue': false,
  'in-flight': false,
} as const satisfies Record<LimiterClass, boolean>;

/** How much was let through within a minute at its fullest. */
export const fullestMinute = (charges: readonly Charge[]): AdmittedPeak => {
  const { least, most: possible } = mostWithin(charges, minute);
  return { least, most: Number.isFinite(possible) ? possible : null };
};

/** `60`, `between 58 and 61`, `at least 1,000`. */
const boundsText = ({ least, most: possible }: AdmittedPeak): string =>
  possible === null
    ? `at least ${formatCount(least)}`
    : least === possible
      ? formatCount(least)
      : `between ${formatCount(least)} and ${formatCount(possible)}`;

/** Whether the limit itself was ever exceeded: a fact, and by itself no fault. */
const checkMaxPerMinute = ({ unit, limit, charges }: KeyLimit): LimitCheck => ({
  id: `most-${unit}`,
  claim: `No more than ${formatCount(limit)} ${unit} were let through within any minute.`,
  section: '8',
  finding: findingOf(
    mostWithin(charges, longer).most <= limit,
    mostWithin(charges, shorter).least > limit,
  ),
  violates: false,
  observed: `the most was ${boundsText(fullestMinute(charges))}`,
  evidence: [],
});

/**
 * Whether more was let through than any permitted class does. Tokens may overshoot by what is under
 * way: of them only a request counts that was let in afterwards, and of a window that ended before
 * it the overshoot is nobody's fault.
 */
const checkLimitKept = (
  { unit, limit, charges }: KeyLimit,
  { admitted }: KeyEvidence,
  permitted: readonly LimiterClass[],
): readonly LimitCheck[] => {
  const times = permitted
    .map((name) => maxLimitMultiple[name])
    .filter((each) => Number.isFinite(each));
  if (times.length === 0) return [];
  const cap = limit * Math.max(...times);
  const before = chargedBefore(charges);
  const isForgotten = unit === 'tokens' && permitted.some((name) => forgetsExcess[name]);
  const overshoot = isForgotten ? maxInFlightCharge(charges, admitted) : 0;
  const excessRequests =
    unit === 'tokens'
      ? admitted.filter((entry) => before(entry, shorter).least > cap + overshoot)
      : [];
  const isBroken =
    unit === 'tokens' ? excessRequests.length > 0 : mostWithin(charges, shorter).least > cap;
  const kept: LimitCheck = {
    id: `${unit}-kept`,
    claim: `Never more than ${formatCount(cap)} ${unit} within a minute, the most that a permitted limiter of ${formatCount(limit)} lets through.`,
    section: '8',
    finding: findingOf(mostWithin(charges, longer).most <= cap, isBroken),
    violates: true,
    observed:
      excessRequests.length > 0
        ? `${formatCount(excessRequests.length)} requests were let in after that`
        : `the most was ${boundsText(fullestMinute(charges))}`,
    evidence: ledgerEvidence(excessRequests),
  };
  return [kept];
};

/** Refusals before which a whole window was watched, and that no other limit explains. */
const attributableRefusals = (
  { entries, refused }: KeyEvidence,
  hasTokenLimit: boolean,
): readonly LedgerEntry[] => {
  const begin = entries[0]?.sent ?? 0;
  return refused.filter(
    ({ sent, unit }) =>
      sent >= begin + longer && (unit === 'requests' || (unit === null && !hasTokenLimit)),
  );
};

const checkRoom = (
  { limit, charges }: KeyLimit,
  attributable: readonly LedgerEntry[],
  permitted: readonly LimiterClass[],
): LimitCheck => {
  const before = chargedBefore(charges);
  const withRoom = attributable.filter((entry) => before(entry, longer).most < limit);
  const isFull = attributable.every((entry) => before(entry, shorter).least >= limit);
  return {
    id: 'refused-only-when-full',
    claim: `Refused was only what came when ${formatCount(limit)} had been let in within the minute before.`,
    section: '8',
    finding: attributable.length === 0 ? 'undecided' : findingOf(isFull, withRoom.length > 0),
    violates: permitted.every((name) => refusesOnlyWhenFull[name]),
    observed:
      attributable.length === 0
        ? 'no 429 for requests came after the first minute, before which others may have used the key'
        : `${formatCount(withRoom.length)} of ${formatCount(attributable.length)} refusals after the first minute came with room left, if nobody else used the key`,
    evidence: ledgerEvidence(withRoom),
  };
};

/** What the checks of one key stand on. */
export interface KeyChecksInput {
  readonly evidence: KeyEvidence;
  readonly limits: readonly KeyLimit[];
  readonly refusals: KeyRefusals | null;
  readonly permitted: readonly LimiterClass[];
}

/** Every claim about a key, decided. */
export const checkKey = ({
  evidence,
  limits,
  refusals,
  permitted,
}: KeyChecksInput): readonly LimitCheck[] => {
  const requests = limits.find(({ unit }) => unit === 'requests');
  const attributable = attributableRefusals(evidence, limits.length > 1);
  return [
    ...limits.flatMap((limit) => [
      checkMaxPerMinute(limit),
      ...checkLimitKept(limit, evidence, permitted),
    ]),
    ...(requests === undefined ? [] : [checkRoom(requests, attributable, permitted)]),
    ...(limits.length === 0
      ? []
      : [
          checkLedgerHeaders(
            evidence,
            limits.map(({ unit }) => unit),
          ),
        ]),
    ...limits.map((limit) => checkReportedLimit(limit, evidence)),
    ...(refusals === null
      ? []
      : [
          checkRefusalForms(refusals),
          checkRetryAccuracy(
            [
              'retry-after',
              'Retry-After never tells a time at which the key is still refused.',
              null,
            ],
            refusals.retryAfter,
          ),
          checkRetryAccuracy(
            [
              'reset-time',
              'The reset time in a 429 is never one at which the key is still refused.',
              '7',
            ],
            refusals.resetTime,
          ),
        ]),
  ];
};
