import type { LedgerEntry } from '../../model/ledger.ts';
import type { LimitCheck, LimiterClass } from '../../model/limit-log.ts';
import type { Fullest, KeyRefusals } from '../../model/run-limits.ts';
import { type Charge, chargedBefore, mostWithin } from './interval-counts.ts';
import type { KeyEvidence } from './key-evidence.ts';
import { checkForms, checkPresence, checkPromise, checkTold } from './key-courtesies.ts';
import { evidenceOf, whole } from './key-words.ts';
import { findingOf, grain } from './limit-facts.ts';

/** The claims about one key that an ordinary run's ledger can decide. */

/** The length that limits per minute are about, in ms. */
export const minute = 60_000;
const shorter = minute - grain(minute);
const longer = minute + grain(minute);

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
const most = {
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
const mostUnderWay = (charges: readonly Charge[], admitted: KeyEvidence['admitted']): number => {
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
export const fullest = (charges: readonly Charge[]): Fullest => {
  const { least, most: possible } = mostWithin(charges, minute);
  return { least, most: Number.isFinite(possible) ? possible : null };
};

/** `60`, `between 58 and 61`, `at least 1,000`. */
const boundsText = ({ least, most: possible }: Fullest): string =>
  possible === null
    ? `at least ${whole(least)}`
    : least === possible
      ? whole(least)
      : `between ${whole(least)} and ${whole(possible)}`;

/** Whether the limit itself was ever exceeded: a fact, and by itself no fault. */
const checkMost = ({ unit, limit, charges }: KeyLimit): LimitCheck => ({
  id: `most-${unit}`,
  claim: `No more than ${whole(limit)} ${unit} were let through within any minute.`,
  section: '8',
  finding: findingOf(
    mostWithin(charges, longer).most <= limit,
    mostWithin(charges, shorter).least > limit,
  ),
  violates: false,
  observed: `the most was ${boundsText(fullest(charges))}`,
  evidence: [],
});

/**
 * Whether more was let through than any permitted class does. Tokens may overshoot by what is under
 * way: of them only a request counts that was let in afterwards, and of a window that ended before
 * it the overshoot is nobody's fault.
 */
const checkKept = (
  { unit, limit, charges }: KeyLimit,
  { admitted }: KeyEvidence,
  permitted: readonly LimiterClass[],
): readonly LimitCheck[] => {
  const times = permitted.map((name) => most[name]).filter((each) => Number.isFinite(each));
  if (times.length === 0) return [];
  const cap = limit * Math.max(...times);
  const before = chargedBefore(charges);
  const isForgotten = unit === 'tokens' && permitted.some((name) => forgetsExcess[name]);
  const overshoot = isForgotten ? mostUnderWay(charges, admitted) : 0;
  const beyond =
    unit === 'tokens'
      ? admitted.filter((entry) => before(entry, shorter).least > cap + overshoot)
      : [];
  const isBroken = unit === 'tokens' ? beyond.length > 0 : mostWithin(charges, shorter).least > cap;
  const kept: LimitCheck = {
    id: `${unit}-kept`,
    claim: `Never more than ${whole(cap)} ${unit} within a minute, the most that a permitted limiter of ${whole(limit)} lets through.`,
    section: '8',
    finding: findingOf(mostWithin(charges, longer).most <= cap, isBroken),
    violates: true,
    observed:
      beyond.length > 0
        ? `${whole(beyond.length)} requests were let in after that`
        : `the most was ${boundsText(fullest(charges))}`,
    evidence: evidenceOf(beyond),
  };
  return [kept];
};

/** Refusals before which a whole window was watched, and that no other limit explains. */
const watchedRefusals = (
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
  watched: readonly LedgerEntry[],
  permitted: readonly LimiterClass[],
): LimitCheck => {
  const before = chargedBefore(charges);
  const withRoom = watched.filter((entry) => before(entry, longer).most < limit);
  const isFull = watched.every((entry) => before(entry, shorter).least >= limit);
  return {
    id: 'refused-only-when-full',
    claim: `Refused was only what came when ${whole(limit)} had been let in within the minute before.`,
    section: '8',
    finding: watched.length === 0 ? 'undecided' : findingOf(isFull, withRoom.length > 0),
    violates: permitted.every((name) => refusesOnlyWhenFull[name]),
    observed:
      watched.length === 0
        ? 'no 429 for requests came after the first minute, before which others may have used the key'
        : `${whole(withRoom.length)} of ${whole(watched.length)} refusals after the first minute came with room left, if nobody else used the key`,
    evidence: evidenceOf(withRoom),
  };
};

/** What the checks of one key stand on. */
export interface KeyCase {
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
}: KeyCase): readonly LimitCheck[] => {
  const requests = limits.find(({ unit }) => unit === 'requests');
  const watched = watchedRefusals(evidence, limits.length > 1);
  return [
    ...limits.flatMap((limit) => [checkMost(limit), ...checkKept(limit, evidence, permitted)]),
    ...(requests === undefined ? [] : [checkRoom(requests, watched, permitted)]),
    ...(limits.length === 0
      ? []
      : [
          checkPresence(
            evidence,
            limits.map(({ unit }) => unit),
          ),
        ]),
    ...limits.map((limit) => checkTold(limit, evidence)),
    ...(refusals === null
      ? []
      : [
          checkForms(refusals),
          checkPromise(
            [
              'retry-after',
              'Retry-After never tells a time at which the key is still refused.',
              null,
            ],
            refusals.retryAfter,
          ),
          checkPromise(
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
