import type { LedgerEntry } from '../../../model/observation/ledger.ts';
import {
  type LimitCheck,
  type LimiterClass,
  advisoryCheck,
} from '../../../model/limits/limit-log.ts';
import type { AdmittedPeak, KeyRefusals } from '../../../model/limits/run-limits.ts';
import {
  type Charge,
  chargedBefore,
  mostWithin,
  findingOf,
  windowTolerance,
} from '../facts/limit-facts.ts';
import { type KeyEvidence, ledgerEvidence, formatCount } from './key-evidence.ts';
import {
  checkRefusalForms,
  checkLedgerHeaders,
  checkRetryAccuracy,
  checkReportedLimit,
} from './advisory-checks.ts';

/** The window of limits per minute, in ms. */
export const minute = 60_000;
const shorter = minute - windowTolerance(minute);
const longer = minute + windowTolerance(minute);

/** A declared limit per minute, and the charges of the requests. */
export interface KeyLimit {
  readonly unit: 'requests' | 'tokens';
  readonly limit: number;
  readonly charges: readonly Charge[];
}

interface ClassTraits {
  /**
   * The maximum admitted within one window as a multiple of the limit, 2 by default, for adjacent windows
   * and full buckets. A cap on requests in flight has no rate: it excuses any if it is the only
   * permitted class.
   */
  readonly multiple?: number;
  /** The excess of a window is forgotten with it; otherwise it remains as a debt. */
  readonly forgetsExcess?: true;
  /** It refuses only if the whole limit was admitted within the window before. */
  readonly refusesOnlyWhenFull?: true;
}

const traits: Readonly<Record<LimiterClass, ClassTraits>> = {
  'fixed-from-first': { forgetsExcess: true, refusesOnlyWhenFull: true },
  'fixed-aligned': { forgetsExcess: true, refusesOnlyWhenFull: true },
  'sliding-log': { multiple: 1, refusesOnlyWhenFull: true },
  'sliding-log-counting-refusals': { multiple: 1 },
  'token-bucket': { refusesOnlyWhenFull: true },
  'burst-bucket': {},
  'sliding-counter': { forgetsExcess: true },
  'stepped-bucket': { refusesOnlyWhenFull: true },
  'leaky-queue': {},
  'in-flight': { multiple: Infinity },
};

/** Maximum in flight at an admission, including it: tokens charged after the answer can exceed a limit by this much. */
const maxInFlightCharge = (
  charges: readonly Charge[],
  admitted: KeyEvidence['admitted'],
): number => {
  const surely = chargedBefore(charges.map((charge) => ({ ...charge, most: charge.least })));
  return admitted.reduce((deepest, entry) => Math.max(deepest, surely(entry, 0).most), 0);
};

export const fullestMinute = (charges: readonly Charge[]): AdmittedPeak => {
  const { least, most } = mostWithin(charges, minute);
  return { least, most: Number.isFinite(most) ? most : null };
};

/** `60`, `between 58 and 61`, `at least 1,000`. */
const boundsText = ({ least, most }: AdmittedPeak): string =>
  most === null
    ? `at least ${formatCount(least)}`
    : least === most
      ? formatCount(least)
      : `between ${formatCount(least)} and ${formatCount(most)}`;

/** Whether the limit was ever exceeded, which is not a fault by itself. */
const checkMaxPerMinute = ({ unit, limit, charges }: KeyLimit): LimitCheck =>
  advisoryCheck({
    id: `most-${unit}`,
    claim: `At most ${formatCount(limit)} ${unit} were admitted within any minute.`,
    section: '8',
    finding: findingOf(
      mostWithin(charges, longer).most <= limit,
      mostWithin(charges, shorter).least > limit,
    ),
    observed: `the maximum was ${boundsText(fullestMinute(charges))}`,
  });

/**
 * Whether more was admitted than any permitted class admits. Tokens can overshoot by what is in
 * flight, so only a request admitted afterwards counts, and classes that forget the excess of an ended
 * window allow for it.
 */
const checkLimitKept = (
  { unit, limit, charges }: KeyLimit,
  { admitted }: KeyEvidence,
  permitted: readonly LimiterClass[],
): readonly LimitCheck[] => {
  const times = permitted.map((name) => traits[name].multiple ?? 2).filter(Number.isFinite);
  if (times.length === 0) return [];
  const cap = limit * Math.max(...times);
  const before = chargedBefore(charges);
  const isForgotten = unit === 'tokens' && permitted.some((name) => traits[name].forgetsExcess);
  const overshoot = isForgotten ? maxInFlightCharge(charges, admitted) : 0;
  const excessRequests =
    unit === 'tokens'
      ? admitted.filter((entry) => before(entry, shorter).least > cap + overshoot)
      : [];
  const isBroken =
    unit === 'tokens' ? excessRequests.length > 0 : mostWithin(charges, shorter).least > cap;
  return [
    {
      id: `${unit}-kept`,
      claim: `Never more than ${formatCount(cap)} ${unit} within a minute, the maximum of a permitted limiter of ${formatCount(limit)}.`,
      section: '8',
      finding: findingOf(mostWithin(charges, longer).most <= cap, isBroken),
      violates: true,
      observed:
        excessRequests.length > 0
          ? `${formatCount(excessRequests.length)} requests were admitted after that`
          : `the maximum was ${boundsText(fullestMinute(charges))}`,
      evidence: ledgerEvidence(excessRequests),
    },
  ];
};

/** Refusals after a whole observed window that no other limit explains. */
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
    claim: `Requests were refused only if ${formatCount(limit)} had been admitted within the minute before.`,
    section: '8',
    finding: attributable.length === 0 ? 'undecided' : findingOf(isFull, withRoom.length > 0),
    violates: permitted.every((name) => traits[name].refusesOnlyWhenFull === true),
    observed:
      attributable.length === 0
        ? 'no 429 for requests after the first minute; earlier ones can be due to other users of the key'
        : `${formatCount(withRoom.length)} of ${formatCount(attributable.length)} refusals after the first minute came with room left, if no one else used the key`,
    evidence: ledgerEvidence(withRoom),
  };
};

export const checkKey = (
  evidence: KeyEvidence,
  limits: readonly KeyLimit[],
  refusals: KeyRefusals | null,
  permitted: readonly LimiterClass[],
): readonly LimitCheck[] => {
  const checks = limits.flatMap((limit) => [
    checkMaxPerMinute(limit),
    ...checkLimitKept(limit, evidence, permitted),
  ]);
  const requests = limits.find(({ unit }) => unit === 'requests');
  if (requests !== undefined) {
    const attributable = attributableRefusals(evidence, limits.length > 1);
    checks.push(checkRoom(requests, attributable, permitted));
  }
  if (limits.length > 0) {
    const units = limits.map(({ unit }) => unit);
    checks.push(checkLedgerHeaders(evidence, units));
  }
  checks.push(...limits.map((limit) => checkReportedLimit(limit, evidence)));
  if (refusals === null) return checks;
  return [
    ...checks,
    checkRefusalForms(refusals),
    checkRetryAccuracy(
      ['retry-after', 'Retry-After never ends while the key is still refused.', null],
      refusals.retryAfter,
    ),
    checkRetryAccuracy(
      ['reset-time', 'At the reset time in a 429 the key is never still refused.', '7'],
      refusals.resetTime,
    ),
  ];
};
