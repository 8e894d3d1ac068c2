import type { LimitUse } from '../../../../judge/limits/facts/token-uses.ts';
import {
  isAdmitted,
  isRefused,
  type TokenLog,
  type TokenReply,
  usedTokens,
  mayBeForTokens,
} from '../../model/token-log.ts';
import { longestWindow } from '../../../../judge/limits/facts/rule-bounds.ts';
import { plausibleRatios } from './measured-charges.ts';
import { type ChargeTerms, chargesOf } from './token-charges.ts';
import { sumOf } from '../../../../model/sums.ts';

/**
 * An admission that no limiter allows. The tokens that were certainly charged before the admission exceed the limit and
 * the refill since the burst began.
 */
export interface ExceededBurst {
  readonly admission: TokenReply;
  readonly charged: number;
  readonly allowed: number;
  readonly mostCounted: number;
}

export interface BurstEvidence {
  /** The instant at which the first request of the burst was sent, in ms. */
  readonly begin: number;
  /** The number of requests that got a 429, whatever limit it names. */
  readonly refused: number;
  /** The number of admitted requests. */
  readonly count: number;
  /** At least this many tokens were charged for the admitted requests, whatever the rule of charging. */
  readonly admitted: number;
  /** The tokens of the admitted requests that were in flight at the busiest moment. */
  readonly atOnce: number;
  readonly requestsAtOnce: number;
  /** The most tokens that were certainly charged before a refusal for tokens; `null` without such a refusal. */
  readonly beforeRefusal: number | null;
  /** The most tokens that may have been charged before the first refusal for tokens; `null` without such a refusal. */
  readonly mostBeforeFirst: number | null;
  /**
   * The largest, over all refusals for tokens, of the tokens certainly charged before the refusal, divided by the limit
   * plus its refill since the burst began; 0 without such a refusal.
   */
  readonly shareBefore: number;
  /** Whether so much was admitted that the gateway cannot charge at admission. */
  readonly isAheadOfCharges: boolean;
  /** The admission with the largest excess; `null` if no admission exceeds the limit. */
  readonly exceeded: ExceededBurst | null;
  /** Whether a request was admitted although, by the gateway's reports of the remaining tokens, nothing was left. */
  readonly isAboveOwnCount: boolean;
}

/**
 * The largest step of a bucket's refill, as a share of the limit. Such a step may come just after the start of a burst.
 */
export const refillStep = 1 / 10;

/**
 * Returns the longest time in ms that a burst may last. If two bursts of this length are half a window apart, no grid
 * of windows has a boundary in both.
 */
export const longestBurst = (window: number): number => window / 2 - window / 30;

/**
 * If the last small chat is refused, the reported remaining tokens must drop by only this share to show that the
 * gateway charges the burst.
 */
const shownFall = 1 / 4;

/**
 * Returns a function that decides whether the gateway’s own count was below the limit just before a request. The count
 * is computed from the last report of the remaining tokens. It excuses an admission only if the gateway charged
 * everything in the end. In this case, its charges were only late.
 */
const ownCountIsBelow = (
  replies: readonly TokenReply[],
  { tokens }: TokenLog['rule'],
  { sum, ownCount }: { readonly sum: number; readonly ownCount: number },
): ((request: TokenReply) => boolean) => {
  const reporting = replies.filter(({ reported }) => reported !== null);
  const remaining = reporting.map(({ reported }) => reported!.remaining);
  const fullest = Math.max(...remaining);
  const fall = fullest - Math.min(...remaining);
  const isRefusedLast = replies.findLast(({ isTap }) => isTap)?.status === 429;
  const hasArrived =
    ownCount * fall >= Math.min(sum, fullest) || (isRefusedLast && fall >= shownFall * fullest);
  return ({ sent }) => {
    const last = reporting.findLast(({ answered }) => answered <= sent)?.reported;
    if (!hasArrived || last === undefined || last === null || last.remaining === 0) return false;
    return fullest - last.remaining < tokens;
  };
};

/** Returns whether more was admitted than a charge at admission permits: the limit, its refill and one prompt. */
const isAheadOfCharges = (
  uses: readonly LimitUse[],
  begin: number,
  window: number,
  limit: number,
): boolean => {
  const admitted = uses.filter(({ fate }) => fate === 'admitted');
  const oneMore = Math.max(0, ...admitted.map(({ least }) => least));
  return admitted.some(({ answered: moment }) => {
    const sum = sumOf(admitted, ({ least, answered }) => (answered <= moment ? least : 0));
    return sum > limit * (1 + (moment - begin) / window) + oneMore;
  });
};

/** Returns `beforeRefusal` and `shareBefore` of a burst, from what was certainly charged before each refusal. */
const chargedBeforeRefusals = (
  replies: readonly TokenReply[],
  chargedBefore: (moment: number) => number,
  { tokens, window }: Pick<TokenLog['rule'], 'tokens' | 'window'>,
): Pick<BurstEvidence, 'beforeRefusal' | 'shareBefore'> => {
  const begin = Math.min(...replies.map(({ sent }) => sent));
  const refused = replies.filter((reply) => isRefused(reply) && mayBeForTokens(reply));
  const charged = refused.map(({ sent }) => chargedBefore(sent));
  const shares = refused.map(
    ({ answered }, i) => charged[i]! / (tokens * (1 + (answered - begin) / window)),
  );
  return {
    beforeRefusal: refused.length === 0 ? null : Math.max(...charged),
    shareBefore: Math.max(0, ...shares),
  };
};

/** Returns the largest possible charge for the requests that a burst admitted before its first refusal for tokens. */
const mostBeforeFirst = (replies: readonly TokenReply[], uses: readonly LimitUse[]) => {
  const refused = replies.filter((reply) => isRefused(reply) && mayBeForTokens(reply));
  if (refused.length === 0) return null;
  const first = Math.min(...refused.map(({ answered }) => answered));
  return sumOf(uses, ({ fate, sent, most }) => (fate === 'admitted' && sent <= first ? most : 0));
};

/**
 * Returns whether the gateway admitted a request of a burst although, by its own report, nothing was left for it. This
 * is so if the certain charges since a report, by any count of the texts, exceed the report's remaining tokens plus the
 * refill. If an idle key reports more than the limit, the excess is subtracted from the remaining tokens.
 */
const isAboveOwnCount = (
  replies: readonly TokenReply[],
  uses: readonly LimitUse[],
  { tokens, window }: Pick<TokenLog['rule'], 'tokens' | 'window'>,
): boolean => {
  const reporting = replies.filter(({ reported }) => reported !== null);
  if (reporting.some(({ reported }) => reported!.limit !== tokens)) return false;
  // If the reported remaining tokens do not change in a burst, the header is wrong and shows no count.
  if (new Set(reporting.map(({ reported }) => reported!.remaining)).size < 2) return false;
  const above = Math.max(0, ...reporting.map(({ reported }) => reported!.remaining - tokens));
  const chargedBetween = (from: number, until: number): number =>
    sumOf(uses, ({ sent, settled, least }) =>
      sent >= from && settled <= until ? plausibleRatios.least * least : 0,
    );
  return replies.filter(isAdmitted).some((next) =>
    reporting.some(({ sent, answered, reported }) => {
      if (answered > next.sent) return false;
      const refilled = tokens * (refillStep + (next.answered - sent) / window);
      const left = Math.max(0, reported!.remaining) - above + refilled;
      return chargedBetween(answered, next.sent) > left;
    }),
  );
};

/** Judges the replies of one burst from the tokens that were certainly charged for its requests. */
const burstEvidence = (
  replies: readonly TokenReply[],
  { tokens, window }: TokenLog['rule'],
  terms: ChargeTerms,
): BurstEvidence => {
  const uses = chargesOf(replies, terms);
  const begin = Math.min(...replies.map(({ sent }) => sent));
  const chargedBefore = (moment: number): number =>
    sumOf(uses, ({ settled, least }) => (settled <= moment ? least : 0));
  const fullest = Math.max(...replies.map(({ reported }) => reported?.remaining ?? 0));
  const mostCounted = ({ reported, answered }: TokenReply, charged: number): number =>
    reported === null
      ? Infinity
      : (fullest - reported.remaining + (tokens * (answered - begin)) / window) / charged;
  const isBelow = ownCountIsBelow(
    replies,
    { tokens, requests: null, window },
    {
      sum: chargedBefore(Infinity),
      ownCount: terms.ownCount,
    },
  );
  let exceeded: ExceededBurst | null = null;
  for (const reply of replies) {
    const charged = chargedBefore(reply.sent);
    const since = reply.answered - begin;
    const allowed = terms.ownCount * tokens * (1 + refillStep + since / window);
    const isExcess =
      isAdmitted(reply) && since < longestBurst(window) && charged >= allowed && !isBelow(reply);
    if (
      isExcess &&
      charged / allowed > (exceeded === null ? 0 : exceeded.charged / exceeded.allowed)
    )
      exceeded = { admission: reply, charged, allowed, mostCounted: mostCounted(reply, charged) };
  }
  const admitted = replies.filter(isAdmitted);
  const inFlightAt = (moment: number) =>
    uses.filter(
      ({ fate, sent }, i) => fate === 'admitted' && sent <= moment && replies[i]!.ended > moment,
    );
  const waves = admitted.map(({ sent }) => inFlightAt(sent));
  const leastOf = (wave: (typeof waves)[number]): number => sumOf(wave, ({ least }) => least);
  const largest = waves.toSorted((a, b) => leastOf(b) - leastOf(a))[0] ?? [];
  return {
    begin,
    refused: replies.filter(isRefused).length,
    count: admitted.length,
    admitted: leastOf(uses.filter(({ fate }) => fate === 'admitted')),
    atOnce: leastOf(largest),
    requestsAtOnce: largest.length,
    mostBeforeFirst: mostBeforeFirst(replies, uses),
    ...chargedBeforeRefusals(replies, chargedBefore, { tokens, window }),
    isAheadOfCharges: isAheadOfCharges(uses, begin, window, terms.ownCount * tokens),
    exceeded,
    isAboveOwnCount: isAboveOwnCount(replies, uses, { tokens, window }),
  };
};

export const burstsOf = ({ replies }: TokenLog): readonly (readonly TokenReply[])[] =>
  [1, 2, 3]
    .map((serial) => replies.filter(({ burst }) => burst === serial))
    .filter((burst) => burst.length > 0);

export const burstsEvidence = (log: TokenLog, terms: ChargeTerms): readonly BurstEvidence[] =>
  burstsOf(log).map((burst) => burstEvidence(burst, log.rule, terms));

/** A window may end earlier or later by this share of its length. */
const phaseTolerance = 1 / 60;

/** Returns the time from the start of a burst until it exceeded the limit, in windows; infinity if it did not. */
const lengthOf = ({ begin, exceeded }: BurstEvidence, window: number): number =>
  ((exceeded?.admission.answered ?? Infinity) - begin) / window;

/**
 * Returns whether two of the bursts that exceeded the limit lie in different parts of the window. On a fixed grid of
 * windows, an end of a window then lies in at most one of these two bursts.
 */
export const areApart = (bursts: readonly BurstEvidence[], window: number): boolean =>
  bursts.some((a) =>
    bursts.some((b) => {
      const phase = ((((b.begin - a.begin) / window) % 1) + 1) % 1;
      return (
        lengthOf(a, window) <= phase - phaseTolerance &&
        lengthOf(b, window) <= 1 - phase - phaseTolerance
      );
    }),
  );

/** A charge is late if it comes more than this share of a window after its answer. */
const latestShare = 1 / 10;

/** What the small chats after a burst show about the time at which the gateway charges usage. */
export interface SettleEvidence {
  /** This many ms after an answer, its usage is certainly charged. */
  readonly settle: number;
  /** Whether charges come so late that an exceeded limit in a burst proves nothing. */
  readonly isLate: boolean;
  /**
   * Whether only late charges can explain this evidence. If `false`, the small chats themselves may have used up the
   * rest of the limit.
   */
  readonly isLateShown: boolean;
  /** Whether small chats after a burst show when usage is charged: `true` if one was refused for tokens. */
  readonly isMeasured: boolean;
}

/** If the remaining tokens rise by more than this share of the limit, a window ended. */
const endOfWindow = 1 / 10;

/** Returns the replies of a burst until the remaining tokens rise. The end of a window hides all earlier charges. */
const beforeEndOfWindow = (
  replies: readonly TokenReply[],
  { tokens }: TokenLog['rule'],
): readonly TokenReply[] => {
  let lowest = Infinity;
  const rise = replies.findIndex(({ reported }) => {
    if (reported === null) return false;
    const isRise = reported.remaining > lowest + endOfWindow * tokens;
    lowest = Math.min(lowest, reported.remaining);
    return isRise;
  });
  return rise === -1 ? replies : replies.slice(0, rise);
};

/**
 * Returns whether a refused small chat was refused for tokens. If the refusal names no limit, its headers decide: it
 * was for tokens if too few tokens remained for the chat. Without such headers, the refusal was for tokens unless the
 * limit of requests can be its cause.
 */
const isForTokens = (
  tap: TokenReply,
  { replies, rule: { requests, window } }: TokenLog,
  terms: ChargeTerms,
): boolean => {
  if (tap.unit !== null) return tap.unit === 'tokens';
  if (tap.reported !== null) return tap.reported.remaining < chargesOf([tap], terms)[0]!.reserved;
  const lately = replies.filter(
    ({ sent, answered }) => sent <= tap.answered && answered >= tap.sent - longestWindow(window),
  );
  return requests === null || lately.length < requests;
};

/**
 * Returns, from the reported remaining tokens, the longest time in ms between an answer and the charge of its usage. If
 * a report shows a smaller drop than the usage of all answers up to one answer, this answer was not yet charged.
 * `isRefilled` adds the possible refill to the drop. If some usage of the burst was never charged, returns `usual`,
 * since a missing charge is not a late charge.
 */
const settleByRemaining = (
  burst: readonly TokenReply[],
  log: TokenLog,
  terms: ChargeTerms,
  isRefilled: boolean,
): number => {
  const { settle: usual, ownCount } = terms;
  const { tokens, window } = log.rule;
  const replies = beforeEndOfWindow(burst, log.rule);
  const uses = chargesOf(replies, { ...terms, settle: 0 });
  const ends = uses
    .filter(({ least }) => least > 0)
    .map(({ settled, least }) => ({ ended: settled, least }))
    .toSorted((a, b) => a.ended - b.ended);
  const reporting = replies.filter((reply) => isAdmitted(reply) && reply.reported !== null);
  const fullest = reporting.reduce((most, { reported }) => Math.max(most, reported!.remaining), 0);
  const last = replies.at(-1);
  if (last === undefined) return usual;
  const sum = sumOf(ends, ({ least }) => least);
  const begin = replies[0]!.sent;
  const refilled = (reply: TokenReply): number =>
    isRefilled ? tokens * (refillStep + (reply.answered - begin) / window) : 0;
  const fellBy = (reply: TokenReply): number => ownCount * (fullest - reply.reported!.remaining);
  const hasArrived = isRefused(last)
    ? isForTokens(last, log, terms)
    : last.reported !== null && fellBy(last) >= sum;
  if (!hasArrived) return usual;
  return reporting.reduce((latest, reply) => {
    let charged = 0;
    const open = ends.find(({ least }) => {
      charged += least;
      return charged > fellBy(reply) + refilled(reply);
    });
    return Math.max(latest, open === undefined ? usual : reply.sent - open.ended);
  }, usual);
};

/** If small chats use less than this share of a large prompt, they cannot have used up the rest of the limit. */
const negligibleUse = 1 / 100;

/** Returns whether the small chats `before` can have used up the tokens that the small chat `next` needs. */
const mayHaveFilled = (
  before: readonly TokenReply[],
  next: TokenReply,
  largest: number,
  terms: ChargeTerms,
): boolean => {
  const last = before.at(-1)!;
  // A chat may report the remaining tokens before its own charge, so its usage is subtracted.
  if (last.reported !== null) {
    const left = last.reported.remaining - (usedTokens(last) ?? 0);
    return left < chargesOf([next], terms)[0]!.reserved;
  }
  const used = sumOf(before, (reply) => usedTokens(reply) ?? 0);
  return used > negligibleUse * largest;
};

/**
 * Measures how late after an answer the gateway may charge its usage: from the reported remaining tokens, and from the
 * first small chat that is refused after a burst.
 */
export const settleEvidence = (log: TokenLog, terms: ChargeTerms): SettleEvidence => {
  let settle = terms.settle;
  let shown = terms.settle;
  let isMeasured = false;
  for (const burst of burstsOf(log)) {
    const taps = burst.filter(({ isTap }) => isTap);
    const end = Math.max(...burst.filter(({ isTap }) => !isTap).map(({ ended }) => ended));
    const largest = Math.max(0, ...burst.map(({ prompt }) => prompt));
    shown = Math.max(shown, settleByRemaining(burst, log, terms, true));
    settle = Math.max(settle, settleByRemaining(burst, log, terms, false));
    for (const [i, tap] of taps.entries()) {
      if (!isRefused(tap) || !isForTokens(tap, log, terms)) continue;
      isMeasured = true;
      const isFirst = i > 0 && isAdmitted(taps[i - 1]!);
      if (!isFirst) continue;
      settle = Math.max(settle, tap.answered - end);
      if (!mayHaveFilled(taps.slice(0, i), tap, largest, terms))
        shown = Math.max(shown, tap.answered - end);
    }
  }
  settle = Math.max(settle, shown);
  const latest = latestShare * log.rule.window;
  return { settle, isMeasured, isLate: settle > latest, isLateShown: shown > latest };
};
