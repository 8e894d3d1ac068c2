import type { LimitRule } from '../../../../model/limits/limit-log.ts';
import { milliseconds } from '../../../../model/quantity.ts';
import { amountsAtOnce, earlyRefusals } from '../../../../judge/limits/facts/early-refusals.ts';
import { limiterMemory } from '../../../../judge/limits/facts/rule-bounds.ts';
import { exceededSpans } from '../../../../judge/limits/facts/token-envelope.ts';
import type { LimitUse } from '../../../../judge/limits/facts/token-uses.ts';
import {
  isAdmitted,
  isRefused,
  type TokenLog,
  type TokenReply,
  type TokenRule,
  mayBeForTokens,
  usedTokens,
} from '../../model/token-log.ts';
import { lostLevels, refusedWithRoom, smallestRoom } from './refused-with-room.ts';
import { type ChargeTerms, chargesOf } from './token-charges.ts';

export const tokenRuleOf = ({ tokens, window }: TokenRule): LimitRule => ({
  limit: tokens,
  window: milliseconds(window),
});

/**
 * Lists the amounts of tokens that a client may use at once in addition to the even rate. An examination tries more
 * amounts than a run, since its requests are larger.
 */
const atOnceAmounts = amountsAtOnce([5, 6, 7, 8, 9, 10, 12, 16].map((part) => 1 / part));

const repliesOf = (
  log: TokenLog,
  uses: readonly LimitUse[],
  found: readonly LimitUse[],
): readonly TokenReply[] => {
  const wanted = new Set(found);
  return log.replies.filter((_, i) => wanted.has(uses[i]!));
};

/**
 * Returns the instant from which no limiter remembers an earlier use of the key. If the reported remaining tokens are
 * correct and show that the key was idle, this is the instant of the first request.
 */
const forgottenBy = (
  { replies, rule }: TokenLog,
  settle: number,
  isRemainingTrue: boolean,
): number => {
  const first = replies[0];
  if (first === undefined) return Infinity;
  const isIdle =
    first.reported !== null &&
    first.reported.limit === rule.tokens &&
    first.reported.remaining >= rule.tokens - (usedTokens(first) ?? 0);
  return first.sent + (isRemainingTrue && isIdle ? 0 : limiterMemory(tokenRuleOf(rule)) + settle);
};

/**
 * If the bursts before the even phase used at most this multiple of the limit, a bucket forgets them within two
 * windows.
 */
const forgettableUse = 2;

const beforeEven = ({ replies }: TokenLog): readonly TokenReply[] => {
  const first = replies.findIndex(({ phase }) => phase === 'even');
  return first === -1 ? replies : replies.slice(0, first);
};

/**
 * Returns the instant at which every limiter has forgotten the requests before the even phase, except for a bucket in
 * debt.
 */
const burstForgottenBy = (log: TokenLog, { settle }: ChargeTerms): number =>
  Math.max(0, ...beforeEven(log).map(({ ended }) => ended)) +
  limiterMemory(tokenRuleOf(log.rule)) +
  settle;

/** Returns whether the bursts before the even phase may have left a bucket in debt for more than two windows. */
const mayBeInDebt = (log: TokenLog, terms: ChargeTerms): boolean => {
  const burst = beforeEven(log).filter(({ phase }) => phase === 'burst');
  const admitted = chargesOf(burst, terms).filter(({ fate }) => fate === 'admitted');
  return admitted.reduce((sum, { most }) => sum + most, 0) > forgettableUse * log.rule.tokens;
};

/**
 * Finds refusals that name tokens or no limit, although the key certainly stayed below the limit of tokens. Refusals in
 * the even phase from the instant `burstForgottenBy` on are also compared with the requests of the even phase alone,
 * unless a bucket may be in debt. `isRemainingTrue` says whether the reported remaining tokens drop by the used tokens.
 */
export const tokensRefusedEarly = (
  log: TokenLog,
  terms: ChargeTerms,
  isRemainingTrue: boolean,
): readonly TokenReply[] => {
  const uses = chargesOf(log.replies, terms);
  const isEven = (_: unknown, i: number): boolean => log.replies[i]!.phase === 'even';
  const isEarlyIfRefused = ({ fate, names }: LimitUse): boolean =>
    fate === 'refused' && (names === 'tokens' || names === null);
  const known = forgottenBy(log, terms.settle, isRemainingTrue);
  const earlyAmong = (some: readonly LimitUse[], from: number): readonly LimitUse[] => {
    const refusals = some.filter((use) => isEarlyIfRefused(use) && use.sent >= from);
    return earlyRefusals(refusals, { uses: some, atOnce: atOnceAmounts }, tokenRuleOf(log.rule));
  };
  return repliesOf(log, uses, [
    ...earlyAmong(uses, known),
    ...(mayBeInDebt(log, terms)
      ? []
      : earlyAmong(uses.filter(isEven), burstForgottenBy(log, terms))),
    ...refusedWithRoom(
      uses.filter((use, i) => isEven(use, i) && isEarlyIfRefused(use) && use.sent >= known),
      uses,
      log.rule,
    ),
  ]);
};

/**
 * Counts the requests of the even phase. `refused` leaves out requests that were sent before `burstForgottenBy`, since
 * an earlier burst can explain their refusals.
 */
export const evenOutcome = (log: TokenLog, terms: ChargeTerms) => {
  const even = log.replies.filter(({ phase }) => phase === 'even');
  const forgotten = burstForgottenBy(log, terms);
  const admitted = even.filter(({ status }) => status === 200).length;
  const allRefused = even.filter(isRefused);
  const refused = allRefused.filter(({ sent }) => sent >= forgotten).length;
  return {
    sent: even.length,
    admitted,
    refused,
    others: even.length - admitted - allRefused.length,
  };
};

/**
 * Finds admissions that came although, within n windows, more tokens were charged than any limiter admits. Usually only
 * a sustained load shows such admissions.
 */
export const tokensExceeded = (log: TokenLog, terms: ChargeTerms) => {
  const sustained = log.replies.filter(({ phase }) => phase === 'sustained');
  return [log.replies, sustained].flatMap((replies) =>
    exceededSpans(chargesOf(replies, terms), tokenRuleOf(log.rule), {
      extra: 1,
      forgottenIn: (windows) => windows,
      ownCount: terms.ownCount,
    }),
  );
};

/** Splits replies wherever no request was in flight for at least `idle` ms. The replies are in the order of sending. */
const partsBetweenIdle = (replies: readonly TokenReply[], idle: number) => {
  const parts: TokenReply[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const reply of replies) {
    if (reply.sent >= end + idle) parts.push([]);
    parts.at(-1)!.push(reply);
    end = Math.max(end, reply.ended);
  }
  return parts;
};

/**
 * Finds wrong refusals of an idle key: the refusals for tokens that came before any other reply after two windows
 * without a request in flight. They are wrong if the largest of the refused requests fits into the smallest bucket,
 * since every limiter then admits the first request.
 */
export const refusedAfterIdle = (log: TokenLog, terms: ChargeTerms): readonly TokenReply[] => {
  const idle = limiterMemory(tokenRuleOf(log.rule)) + terms.settle;
  const parts = partsBetweenIdle(log.replies, idle).slice(1);
  const uses = chargesOf(log.replies, terms);
  return parts.flatMap((part) => {
    const begin = part[0]!.sent;
    const before = uses.filter(({ sent }) => sent < begin);
    // A bucket with a debt larger than its refill in two windows is still not full, so the missing tokens are added.
    const [lost = 0] = lostLevels(before, [begin], log.rule);
    const admitted = part.find((reply) => !isRefused(reply) || !mayBeForTokens(reply));
    const refused = part.filter(({ answered }) => answered < (admitted?.sent ?? Infinity));
    const largest = Math.max(0, ...chargesOf(refused, terms).map(({ reserved }) => reserved));
    return lost + largest <= smallestRoom * log.rule.tokens ? refused : [];
  });
};

/** After this share of a window, every bucket of requests holds a request again, even if it refills in steps. */
const stepShare = 1 / 9;

/**
 * A limiter may admit this share of the limit of requests again at once. Example: with windows of a sixth of a minute,
 * it admits a sixth of the limit at once.
 */
const regainedAtOnce = 1 / 6;
/**
 * If at least this share of the limit of requests was sent within a sixth of the declared window, the requests may have
 * used up a limiter that admits a sixth of the limit in each such window. The share is smaller than a sixth, since
 * earlier requests may have used a part of the sixth.
 */
const smallWindowShare = 1 / 9;

/**
 * Returns the maximum number of requests that any limiter admits in the time between two refusals, if no whole window
 * ends in this time.
 */
export const requestsRegained = ({ requests, window }: TokenRule, time: number): number =>
  1 + Math.max(2, (requests ?? Infinity) * (regainedAtOnce + time / window));

/**
 * Finds refusals that no small bucket of requests explains. Between an earlier refusal and such a refusal, the gateway
 * admitted more requests than the bucket regains. The caller checks that fewer requests than the limit were sent in two
 * windows, so no window explains the refusals.
 */
const namedBetweenAdmissions = (
  named: readonly TokenReply[],
  { replies, rule }: TokenLog,
): readonly TokenReply[] =>
  named.filter((last) =>
    named.some((first) => {
      if (first.answered > last.sent) return false;
      const between = replies.filter(
        (reply) => isAdmitted(reply) && reply.sent >= first.answered && reply.answered <= last.sent,
      );
      return between.length > requestsRegained(rule, last.answered - first.sent);
    }),
  );

/**
 * Finds refusals that name requests although the limit of requests cannot be the cause. In two windows, fewer requests
 * than the limit were sent, refused requests included. A small bucket of requests cannot have been empty, either: no
 * request came just before, or the gateway admitted many requests since an earlier refusal.
 */
export const wronglyNamed = (log: TokenLog): readonly TokenReply[] => {
  const { replies, rule } = log;
  const { requests, window } = rule;
  if (requests === null) return [];
  const memory = limiterMemory(tokenRuleOf(rule));
  const step = Math.max(stepShare * window, (2 * window) / requests);
  const named = replies.filter((reply) => {
    if (!isRefused(reply) || reply.unit !== 'requests') return false;
    return reply.sent - memory >= replies[0]!.sent;
  });
  const between = new Set(namedBetweenAdmissions(named, log));
  return named.filter((reply) => {
    const lately = replies.filter(
      ({ sent, answered }) => sent <= reply.answered && answered >= reply.sent - memory,
    );
    const others = lately.filter((other) => other !== reply);
    const inLastSixth = others.filter(
      ({ answered }) => answered > reply.sent - regainedAtOnce * window,
    );
    const isAlone =
      inLastSixth.length < smallWindowShare * requests &&
      others.every(({ answered }) => answered <= reply.sent - step);
    return lately.length < requests && (isAlone || between.has(reply));
  });
};
