import { sumInFlight } from '../../../../judge/limits/facts/early-refusals.ts';
import { limiterMemory } from '../../../../judge/limits/facts/rule-bounds.ts';
import type { TokenLog, TokenReply } from '../../model/token-log.ts';
import { burstCharge } from './burst-charges.ts';
import {
  areCachedCharged,
  chargedWhen,
  countingEvidence,
  type CountingEvidence,
  type MeasuredCharge,
  measuredCharges,
  plausibleRatios,
  roundingTokens,
} from './measured-charges.ts';
import {
  type BurstEvidence,
  burstsEvidence,
  burstsOf,
  settleEvidence,
  type SettleEvidence,
} from './token-bursts.ts';
import { type ChargeTerms, chargesOf, usualChargeTerms } from './token-charges.ts';
import { tokenRuleOf } from './token-refusals.ts';

/**
 * The use that the reported remaining tokens show, divided by the most that the requests can have used. A ratio above 1
 * suggests use by others.
 */
interface HiddenUse {
  /**
   * The largest, over all pairs of consecutive reports, of the drop in the remaining tokens, divided by the tokens that
   * the requests in between can have used.
   */
  readonly spent: number;
  /**
   * The largest, over all reports, of the tokens missing from the fullest reported amount, divided by the tokens that
   * the requests of the two windows before the report can have used.
   */
  readonly remembered: number;
}

/** The measured assumptions that the facts about tokens rely on. */
export interface TokenGuards {
  readonly charges: readonly MeasuredCharge[];
  readonly when: 'admission' | 'later' | null;
  readonly counting: CountingEvidence;
  readonly settling: SettleEvidence;
  readonly hasRemaining: boolean;
  readonly hasUsage: boolean;
  readonly hidden: HiddenUse;
  /**
   * As `hidden`, without the reports of 429s, which often say that nothing remains, whatever was used. If the operator
   * promises that nobody else uses the key, only these ratios are used.
   */
  readonly hiddenFromAnswers: HiddenUse;
  /** If `spent` or `remembered` is above this number, somebody else uses the key. */
  readonly allowance: number;
  readonly terms: ChargeTerms;
}

/**
 * Compares the use of the limit, as the reported remaining tokens show it, with the largest use that the requests
 * explain. More use comes from somebody else, or from charges that are higher than assumed.
 */
const hiddenUse = (
  log: TokenLog,
  terms: ChargeTerms,
  isSeen: (reply: TokenReply) => boolean,
): HiddenUse => {
  const uses = chargesOf(log.replies, terms);
  const rule = tokenRuleOf(log.rule);
  const memory = limiterMemory(rule) + terms.settle;
  const mostOf = ({ most, reserved }: (typeof uses)[number]): number => Math.max(most, reserved);
  const inFlight = sumInFlight(uses, mostOf);
  const lately = sumInFlight(
    uses.map((use) => ({ ...use, settled: use.settled + memory })),
    mostOf,
  );
  const reporting = log.replies.filter((reply) => reply.reported !== null && isSeen(reply));
  const fullest = reporting.reduce((most, { reported }) => Math.max(most, reported!.remaining), 0);
  const from = (log.replies[0]?.sent ?? 0) + memory;
  const shareOf = (amount: number, most: number): number =>
    amount <= roundingTokens ? 0 : (amount - roundingTokens) / most;
  const fellBy = (reply: TokenReply, next: TokenReply): number =>
    next.sent < reply.answered
      ? 0
      : shareOf(
          reply.reported!.remaining - next.reported!.remaining,
          inFlight({ sent: reply.sent, answered: next.answered }),
        );
  const falls = reporting.slice(1).map((next, i) => fellBy(reporting[i]!, next));
  const used = reporting
    .filter((reply) => reply.sent >= from)
    .map((reply) => shareOf(fullest - reply.reported!.remaining, lately(reply)));
  return { spent: Math.max(0, ...falls), remembered: Math.max(0, ...used) };
};

/** If a bucket refills by more than this multiple of the limit in a window, nobody else can use much of the limit. */
const unsharedRefill = 0.93;

/**
 * Uses the bursts as evidence if single chats do not show how the gateway counts. The finding is `less` if the bursts'
 * charges are below any count of the texts. The finding is `more` if the charges are above any count of the texts, and
 * the bucket refills so fast that nobody else can use much of the limit.
 */
const withBursts = (
  counting: CountingEvidence,
  log: TokenLog,
  terms: ChargeTerms,
): CountingEvidence => {
  if (counting.finding !== 'unknown') return counting;
  const shares = burstsEvidence(log, terms).flatMap(({ exceeded }) => exceeded?.mostCounted ?? []);
  const ratio = shares.length === 0 ? Infinity : Math.max(...shares);
  if (ratio < plausibleRatios.least) return { finding: 'less', ratio, isImplausible: true };
  const full = log.replies.reduce(
    (most, { reported }) => Math.max(most, reported?.remaining ?? 0),
    0,
  );
  const charges = burstsOf(log).flatMap(
    (replies) => burstCharge(replies, { rule: log.rule, full }, terms) ?? [],
  );
  if (charges.length < 2) return counting;
  const least = Math.min(...charges.map((charge) => charge.least));
  const isUnshared = charges.every(({ refill }) => refill >= unsharedRefill);
  return least > plausibleRatios.most && isUnshared
    ? { finding: 'more', ratio: least, isImplausible: true }
    : { ...counting, least };
};

/** If fewer than this share of the admitted answers report the remaining tokens, the judge ignores the reports. */
const enoughReports = 0.5;

/**
 * Measures what the facts about tokens rely on: how and when the gateway charges, and whether somebody else uses the
 * key.
 */
export const tokenGuards = (log: TokenLog): TokenGuards => {
  const charges = measuredCharges(log.replies);
  const usual = {
    ...usualChargeTerms(log.rule.window, log.charactersPerToken),
    chargesCached: areCachedCharged(log.replies, charges),
  };
  const settling = settleEvidence(log, usual);
  const settled = { ...usual, settle: settling.settle };
  const counting = withBursts(countingEvidence(charges, usual.ownCount), log, settled);
  const isExact = counting.finding === 'usage' && !settling.isLate;
  const terms = { ...usual, settle: settling.settle, ownCount: isExact ? 1 : usual.ownCount };
  const admitted = log.replies.filter(({ status }) => status === 200);
  const reporting = admitted.filter(({ reported }) => reported !== null);
  return {
    charges,
    when: chargedWhen(log.replies),
    counting,
    settling,
    hasUsage: log.charactersPerToken !== null,
    hasRemaining: reporting.length > 0 && reporting.length >= enoughReports * admitted.length,
    hidden: hiddenUse(log, settled, () => true),
    hiddenFromAnswers: hiddenUse(log, settled, ({ status }) => status !== 429),
    allowance: counting.isImplausible ? Math.max(1, 1.1 * (counting.ratio ?? 1)) : 1,
    terms,
  };
};

const ratioText = ({ ratio }: CountingEvidence): string => (ratio ?? 0).toFixed(2);

const noRemainingReason =
  'no header reports the remaining tokens (--yes-tokens says that the key is idle and that usage is charged)';

/** Why charges are unknown if no answer reports its usage. The operator's promise does not help here. */
const noUsageReason = 'no answer reports its usage, so nothing shows how many tokens were sent';

interface GuardTerms {
  /** Whether the operator promises that nobody else uses the key, and that charges equal the usage. */
  readonly isPromised: boolean;
}

/** Says how late the gateway charges usage, or may charge it. */
export const latenessText = ({ settle, isLateShown }: SettleEvidence): string => {
  const time = `${(settle / 1000).toFixed(1)} s after an answer`;
  return isLateShown
    ? `usage is charged as late as ${time}`
    : `usage may be charged as late as ${time}, unless the small chats used up what was left of the limit`;
};

/**
 * Returns why the charges of single chats are unknown; `null` if they are known, or if the operator promises that they
 * equal the usage.
 */
const whyChargesAreUnknown = (
  { counting, hasRemaining }: TokenGuards,
  { isPromised }: GuardTerms,
): string | null => {
  if (isPromised || counting.finding !== 'unknown') return null;
  return hasRemaining
    ? 'the remaining tokens do not show what is charged (--yes-tokens says that it is the usage)'
    : noRemainingReason;
};

/** Returns why a fact that relies on the lowest possible charge proves nothing; `null` if the fact is proof. */
export const whyLeastIsUnsure = (guards: TokenGuards, terms: GuardTerms): string | null => {
  const { counting, settling, hasUsage } = guards;
  if (!hasUsage) return noUsageReason;
  if (settling.isLate) return latenessText(settling);
  if (counting.finding === 'less' && !counting.isImplausible) {
    return `only ${ratioText(counting)} of the usage is charged`;
  }
  return whyChargesAreUnknown(guards, terms);
};

/**
 * Returns whether nothing excuses a burst that exceeded the limit, although the remaining tokens do not show the
 * charges of single chats. This is so if the admitted tokens exceed the limit even by the gateway’s own reports. Unless
 * charges may be late, it is also so if the admitted tokens exceed the limit by any count of the texts, or by the
 * lowest measured charge of the bursts.
 */
export const isTooMuchByAnyCount = (
  { counting, settling, hasRemaining, hasUsage, terms }: TokenGuards,
  { exceeded, isAboveOwnCount }: Pick<BurstEvidence, 'exceeded' | 'isAboveOwnCount'>,
): boolean => {
  if (exceeded === null || !hasUsage || !hasRemaining) return false;
  const least = Math.max(plausibleRatios.least, counting.least ?? 0);
  const isCertain = !settling.isLate && counting.finding === 'unknown';
  return (
    isAboveOwnCount || (isCertain && least * exceeded.charged >= exceeded.allowed / terms.ownCount)
  );
};

/**
 * If the operator promises that nobody else uses the key, the remaining tokens may drop by this many times the
 * explained use. A gateway that charges twice the usage stays within this multiple.
 */
const promisedAllowance = 2;

const allowanceOf = ({ allowance }: TokenGuards, { isPromised }: GuardTerms): number =>
  isPromised ? Math.max(allowance, promisedAllowance) : allowance;

const hiddenFrom = (
  { hidden, hiddenFromAnswers }: TokenGuards,
  { isPromised }: GuardTerms,
): HiddenUse => (isPromised ? hiddenFromAnswers : hidden);

const idleRemedy = ({ isPromised }: GuardTerms): string =>
  isPromised ? '' : ' (--yes-tokens says that nobody else uses the key)';

/**
 * Returns why something other than the requests of the examination can have caused a refusal; `null` if nothing else
 * can be the cause.
 */
const whyRefusalIsUnsure = (guards: TokenGuards, terms: GuardTerms): string | null =>
  hiddenFrom(guards, terms).spent > allowanceOf(guards, terms)
    ? `the remaining tokens fell by more than the requests can have used${idleRemedy(terms)}`
    : null;

/** Returns why another user of the key can have caused a refusal; `null` if no other user can be the cause. */
export const whyOthersMayCause = (guards: TokenGuards, terms: GuardTerms): string | null =>
  whyRefusalIsUnsure(guards, terms) ??
  (guards.hasRemaining || terms.isPromised ? null : noRemainingReason);

/** Returns why a fact that relies on the highest possible charge proves nothing; `null` if the fact is proof. */
export const whyMostIsUnsure = (guards: TokenGuards, terms: GuardTerms): string | null => {
  const { counting } = guards;
  if (!guards.hasUsage) return noUsageReason;
  // This ratio is no excuse: no tokenizer counts so many tokens in these texts, and a hidden prompt is not usage.
  const isNoCount = terms.isPromised && (counting.ratio ?? 0) > plausibleRatios.most;
  if (counting.finding === 'more' && !counting.isImplausible && !isNoCount) {
    return `${ratioText(counting)} times the usage is charged`;
  }
  const refusal = whyRefusalIsUnsure(guards, terms);
  if (refusal !== null) return refusal;
  if (hiddenFrom(guards, terms).remembered > allowanceOf(guards, terms))
    return `more of the limit was used than the requests of two windows can have used${idleRemedy(terms)}`;
  return guards.settling.isLate ? null : whyChargesAreUnknown(guards, terms);
};

/**
 * Returns why a fact proves nothing; `null` if the fact is proof. `restsOnPromise` says that the fact is proof only
 * because of the operator's promise.
 */
export const excuse = (
  whyIsUnsure: (guards: TokenGuards, terms: GuardTerms) => string | null,
  guards: TokenGuards,
  terms: GuardTerms,
): { readonly why: string | null; readonly restsOnPromise: boolean } => {
  const why = whyIsUnsure(guards, terms);
  return {
    why,
    restsOnPromise: why === null && whyIsUnsure(guards, { isPromised: false }) !== null,
  };
};
