import {
  type LimitCheck,
  type LimiterClass,
  advisoryCheck,
} from '../../../model/limits/limit-log.ts';
import type { LedgerEntry } from '../../../model/observation/ledger.ts';
import { milliseconds } from '../../../model/quantity.ts';
import { type Claim, formatCount } from '../facts/check-claim.ts';
import { countBefore, countUpTo } from '../facts/count-instants.ts';
import { earlyRefusals, tokensAtOnce } from '../facts/early-refusals.ts';
import { type Charge, mostWithin } from '../facts/interval-counts.ts';
import { findingOf, limiterMemory, longestWindow, shortestWindow } from '../facts/rule-bounds.ts';
import { exceededSpans } from '../facts/token-envelope.ts';
import { type LimitUse, settleTime } from '../facts/token-uses.ts';
import { extraLimits } from '../facts/upper-envelope.ts';
import { hasUsedUp, type MinuteLimit, type UsedUpLimits } from '../facts/explained-refusals.ts';
import { type KeyEvidence, minute } from '../facts/key-evidence.ts';

export interface TokenTerms {
  readonly limit: number;
  /** The declared limit of requests; `null` if no limit of requests is declared. */
  readonly requests: number | null;
  readonly evidence: KeyEvidence;
  readonly permitted: readonly LimiterClass[];
  readonly forgottenIn: (windows: number) => number;
  /** Whether the scenario names a limiter class. It thereby promises that nobody else uses the key. */
  readonly isOwnKey: boolean;
  readonly usedUp: UsedUpLimits;
  readonly peakText: string;
}

type CheckEntries = (claim: Claim<LedgerEntry>) => LimitCheck;

const entriesOf = (
  { entries, uses }: KeyEvidence,
  found: readonly LimitUse[],
): readonly LedgerEntry[] => {
  const wanted = new Set(found);
  return entries.filter((_, place) => wanted.has(uses.tokens[place]!));
};

/**
 * Checks whether the gateway admitted more tokens than the limit of any permitted class allows. Tokens in flight may
 * exceed a limit. So only requests that were admitted after the limit was exceeded are counterexamples.
 */
const checkKept = (terms: TokenTerms, checkEntries: CheckEntries): LimitCheck => {
  const { limit, evidence, permitted, forgottenIn, peakText } = terms;
  const extra = extraLimits(permitted);
  const rule = { limit, window: milliseconds(minute) };
  const exceeded = exceededSpans(evidence.uses.tokens, rule, { extra, forgottenIn });
  const [worst] = exceeded.toSorted((a, b) => b.charged / b.allowed - a.charged / a.allowed);
  const check = checkEntries({
    id: 'tokens-kept',
    claim: `In no span were more tokens charged before an admission than a permitted limiter of ${formatCount(limit)} a minute allows.`,
    section: '8',
    violates: true,
    wrong: entriesOf(
      evidence,
      exceeded.map(({ admission }) => admission),
    ),
    observed:
      worst === undefined
        ? `the maximum in a minute was ${peakText}`
        : `${formatCount(exceeded.length)} requests were admitted after that, one of them after ${formatCount(worst.charged)} tokens within ${worst.span / 1000} s, where at most ${formatCount(Math.floor(worst.allowed))} are allowed`,
  });
  const most = mostWithin(evidence.tokens, longestWindow(minute)).most;
  return { ...check, finding: findingOf(most <= limit * (1 + extra), exceeded.length > 0) };
};

const condition = 'if no one else used the key and the reported usage is what is charged';

/**
 * Returns the refusals of chats for tokens. Omits refusals that come before limiters have forgotten an earlier run.
 * Includes a refusal that names no limit only if the limit of requests certainly had room.
 */
const tokenRefusals = ({ evidence, requests }: TokenTerms): readonly LimitUse[] => {
  const { entries, uses } = evidence;
  const unnamed = uses.requests.filter(({ fate, names }) => fate === 'refused' && names === null);
  const rule = { limit: requests ?? 0, window: milliseconds(minute) };
  const client = { uses: uses.requests, atOnce: () => [0] };
  const early = new Set(requests === null ? unnamed : earlyRefusals(unnamed, client, rule));
  return entries.flatMap(({ sent, status, unit }, place) => {
    // An earlier run may have used the key, and limiters remember two windows. So refusals within this time are left
    // out.
    const isFirst = sent < entries[0]!.sent + limiterMemory(rule) + settleTime(minute);
    if (status !== 429 || isFirst || (unit !== 'tokens' && !early.has(uses.requests[place]!)))
      return [];
    return [uses.tokens[place]!];
  });
};

/**
 * Checks whether the gateway refused a client for tokens although the client certainly used less than any limiter
 * admits.
 */
const checkEarly = (terms: TokenTerms, checkEntries: CheckEntries): LimitCheck => {
  const { limit, evidence, isOwnKey } = terms;
  const refusals = tokenRefusals(terms);
  const client = { uses: evidence.uses.tokens, atOnce: tokensAtOnce };
  const early = earlyRefusals(refusals, client, { limit, window: milliseconds(minute) });
  const check = checkEntries({
    id: 'tokens-refused-early',
    claim: `A client that stays below ${formatCount(limit)} tokens a minute at any pace is never refused for tokens.`,
    section: '8',
    violates: isOwnKey && early.length > 0,
    unseen: refusals.length === 0 ? 'nothing was certainly refused for tokens' : null,
    wrong: entriesOf(evidence, early),
    observed: `${formatCount(early.length)} of ${formatCount(refusals.length)} refusals for tokens came although the key had certainly used too little, ${condition}`,
  });
  return early.length === 0 ? { ...check, finding: 'undecided' } : check;
};

/** Returns the refusals after the first minute. Earlier refusals may be due to other users or to an earlier run. */
const laterRefusals = ({ entries, refused }: KeyEvidence): readonly LedgerEntry[] => {
  const begin = entries[0]?.sent ?? 0;
  return refused.filter(({ sent }) => sent >= begin + longestWindow(minute));
};

const checkRoom = ({ limit, evidence, usedUp }: TokenTerms, checkEntries: CheckEntries) => {
  const named = laterRefusals(evidence).filter(({ unit }) => unit === 'tokens');
  const wrong = named.filter((entry) => !hasUsedUp(entry, usedUp));
  return checkEntries({
    id: 'tokens-refused-only-when-full',
    claim: `Chats were refused for tokens only if ${formatCount(limit)} may have been used or asked for within the minute before.`,
    section: '8',
    unseen:
      named.length === 0
        ? 'no 429 for tokens after the first minute; earlier ones can be due to other users of the key'
        : null,
    wrong,
    observed: `${wrong.length === 0 ? '' : 'at least '}${formatCount(wrong.length)} of ${formatCount(named.length)} refusals after the first minute certainly came with tokens left, ${condition}`,
  });
};

/**
 * Checks whether refusals name the wrong limit. A refusal names the wrong limit if the named limit cannot be used up,
 * but the other limit may be used up.
 */
const checkNames = (
  { requests, evidence, usedUp }: TokenTerms,
  checkEntries: CheckEntries,
): LimitCheck => {
  const named = laterRefusals(evidence).filter(
    ({ unit }) => unit === 'tokens' || unit === 'requests',
  );
  // A limiter may count refused requests, and a weighted counter remembers two windows. So all requests of two windows
  // are counted.
  const sent = Float64Array.from(evidence.entries, (entry) => entry.sent);
  const sentBefore = ({ answered, sent: at }: LedgerEntry): number =>
    countUpTo(sent, answered) - countBefore(sent, at - 2 * longestWindow(minute));
  const wrong = named.filter((entry) => {
    const units = usedUp.get(entry)!;
    return entry.unit === 'tokens'
      ? !units.includes('tokens') && units.includes('requests')
      : requests !== null && sentBefore(entry) <= requests && units.includes('tokens');
  });
  return checkEntries({
    id: 'refusal-names-limit',
    claim: 'A 429 never names a limit that cannot be used up where another one may be.',
    section: '7',
    unseen: named.length === 0 ? 'no 429 after the first minute named a limit' : null,
    wrong,
    observed: `${formatCount(wrong.length)} of ${formatCount(named.length)} named the wrong limit, ${condition}`,
  });
};

/**
 * The minimum share of the limit that must be used in a minute. With less use, a constant report of the remaining
 * tokens or requests is not wrong.
 */
const minUsedShare = 1 / 2;

/**
 * A constant report is wrong only if the bucket must have lacked at least this share of the limit at some time. Such a
 * lack certainly lowers the remaining amount.
 */
const minLackingShare = 1 / 10;

const mostLacking = (charges: readonly Charge[], limit: number): number => {
  const rate = limit / shortestWindow(minute);
  let [level, most, at] = [0, 0, Number.NEGATIVE_INFINITY];
  for (const { until, least } of charges.toSorted((a, b) => a.until - b.until)) {
    level = Math.max(0, level - rate * (until - at)) + least;
    at = until;
    most = Math.max(most, level);
  }
  return most;
};

/**
 * Checks whether the reported remaining amount of a limit never changes. A constant amount is no fault if the bucket
 * refills between all requests, or if it is always empty.
 */
export const checkConstant = ({ unit, limit }: MinuteLimit, evidence: KeyEvidence): LimitCheck => {
  const column = unit === 'tokens' ? 'remainingTokens' : 'remainingRequests';
  const reported = evidence.admitted.flatMap((entry) => entry[column] ?? []);
  const values = new Set(reported);
  const isUsed =
    mostWithin(evidence[unit], minute).least >= minUsedShare * limit &&
    mostLacking(evidence[unit], limit) >= Math.max(3, minLackingShare * limit);
  const isSeen = reported.length > 1 && isUsed && !(values.size === 1 && values.has(0));
  return advisoryCheck({
    id: `remaining-${unit}-fall`,
    claim: `The reported remaining ${unit} fall as ${unit} are used.`,
    section: '8',
    finding: findingOf(isSeen && values.size > 1, isSeen && values.size === 1),
    observed: isSeen
      ? `${formatCount(values.size)} values in ${formatCount(reported.length)} responses`
      : `too few ${unit} were used, or too few responses reported the rest`,
  });
};

export const checkTokens = (
  terms: TokenTerms,
  checkEntries: CheckEntries,
): readonly LimitCheck[] => [
  checkKept(terms, checkEntries),
  checkEarly(terms, checkEntries),
  checkRoom(terms, checkEntries),
  checkNames(terms, checkEntries),
];
