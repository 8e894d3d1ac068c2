import {
  type LimiterClass,
  type LimitRule,
  advisoryCheck,
  type LimitCheck,
} from '../../../model/limits/limit-log.ts';
import type {
  Fitted,
  LimiterFit,
  LimiterIdentification,
} from '../../../model/limits/limiter-fit.ts';
import { maxFreshRequests } from './facts/even-pace.ts';
import { longestWindow, shortestWindow } from '../../../judge/limits/facts/rule-bounds.ts';

/** A log with fewer refusals is not enough to infer a limiter. */
export const minRefusals = 10;

/**
 * The classes that refill steadily. Their decisions show only the ratio of limit to window, so the limit is as
 * uncertain as the window.
 */
const refillingClasses: readonly LimiterClass[] = [
  'token-bucket',
  'burst-bucket',
  'stepped-bucket',
  'leaky-queue',
];

/**
 * Requests before the log may have used up to this share of the limit, but at least 1 request and at most
 * `maxFreshRequests`.
 */
const maxHiddenShare = 1 / 20;

const maxHiddenRequests = ({ limit }: LimitRule): number =>
  Math.max(1, Math.min(maxFreshRequests, Math.floor(limit * maxHiddenShare)));

/** Returns the interval of a fitted rate, in requests per ms. */
const rateOf = ({ limit, window }: LimiterFit) => ({
  least: limit.least / window.most,
  most: limit.most / window.least,
});

const isDisjoint = (a: Omit<Fitted, 'value'>, least: number, most: number): boolean =>
  a.least > most || a.most < least;

/**
 * Returns whether a fitted limiter certainly breaks the rule. A class that refills breaks the rule if its rate differs
 * from the rule's. For any other class, if the fitted window can be the declared window, the limiter breaks the rule if
 * its limit differs. Otherwise it breaks the rule if its limit is higher, or if its rate differs.
 */
export const isOtherLimiter = (fit: LimiterFit, rule: LimitRule): boolean => {
  const { limiter, limit, window } = fit;
  const [shorter, longer] = [shortestWindow(rule.window), longestWindow(rule.window)];
  const isOtherRate = isDisjoint(rateOf(fit), rule.limit / longer, rule.limit / shorter);
  if (refillingClasses.includes(limiter)) return isOtherRate;
  const isDeclaredWindow = !isDisjoint(window, shorter, longer);
  // A weighted counter that rounds up, with a limit one request higher, decides like a counter that rounds down.
  const highest = rule.limit + Number(limiter === 'sliding-counter');
  // A few requests before the log make the limit look lower by their number.
  if (isDeclaredWindow) return isDisjoint(limit, rule.limit - maxHiddenRequests(rule), highest);
  return limit.least > rule.limit || isOtherRate;
};

/** Decides whether a fitted limiter may admit less than the rule. */
export const isLower = (fit: LimiterFit, rule: LimitRule): boolean =>
  rateOf(fit).least < rule.limit / rule.window;

/** A small bucket proves another rate only if its highest possible rate is at most this many times the lowest. */
const maxRateSpread = 1.05;
/**
 * At a declared rate below 1 request per second, even a bucket that drops fractions of a request each second refills at
 * more than this share of the rate.
 */
const wholeSecondShare = 0.7;

/**
 * Returns whether a bucket of the rule can be as slow as the fitted limiter because it drops fractions of a request
 * each second.
 */
const canDropFractions = (fit: LimiterFit, rule: LimitRule): boolean => {
  const declared = rule.limit / rule.window;
  return (
    fit.limiter !== 'leaky-queue' &&
    refillingClasses.includes(fit.limiter) &&
    declared * 1000 < 1 &&
    isLower(fit, rule) &&
    rateOf(fit).most > wholeSecondShare * declared
  );
};

/**
 * Returns whether a fitted limiter is evidence against the gateway. The size of a small bucket alone can explain many
 * decisions. So a small bucket is evidence only if its rate is lower than declared and narrowly bounded. Facts, not
 * fitted limiters, reveal a higher rate.
 */
export const isAccusing = (fit: LimiterFit, rule: LimitRule): boolean => {
  if (canDropFractions(fit, rule)) return false;
  if (fit.limiter !== 'burst-bucket') return isOtherLimiter(fit, rule);
  const { least, most } = rateOf(fit);
  return isOtherLimiter(fit, rule) && isLower(fit, rule) && most <= maxRateSpread * least;
};

const includes = ({ least, most }: Fitted, value: number): boolean =>
  least <= value && value <= most;

/**
 * Returns whether a fitted limiter may differ from the rule. A class that refills may differ from the rule if its rate
 * may differ. Any other class may differ unless the fitted range contains the rule, or lies within the tolerance of the
 * rule.
 */
export const canBeOther = (fit: LimiterFit, rule: LimitRule): boolean => {
  const { limiter, limit, window } = fit;
  const [shorter, longer] = [shortestWindow(rule.window), longestWindow(rule.window)];
  if (refillingClasses.includes(limiter)) {
    const { least, most } = rateOf(fit);
    return least < rule.limit / longer || most > rule.limit / shorter;
  }
  const isRule =
    (limit.value === rule.limit && includes(window, rule.window)) ||
    (window.value === rule.window && includes(limit, rule.limit));
  const isDeclared =
    limit.least >= rule.limit - maxHiddenRequests(rule) &&
    limit.most <= rule.limit &&
    window.least >= shorter &&
    window.most <= longer;
  return !isRule && !isDeclared;
};

const isExplained = ({ best, ties, ranking }: LimiterIdentification, refusals: number): boolean =>
  best !== null &&
  (best.wrong === 0 || !ranking.includes(best)) &&
  best.limiter !== 'in-flight' &&
  // A queue refuses nothing, so it needs no minimum number of refusals.
  (best.limiter === 'leaky-queue' || refusals >= minRefusals) &&
  ranking.every((fit) => fit === best || ties.includes(fit) || fit.wrong > 0);

const rangeText = ({ value, least, most }: Fitted, scale: number): string => {
  const show = (amount: number): string => String(Number((amount / scale).toFixed(1)));
  const [from, to] = [show(least), show(most)];
  return from === to ? show(value) : `${show(value)} (${from} to ${to})`;
};

export const fitText = ({ limiter, limit, window }: LimiterFit): string =>
  `${limiter}: ${rangeText(limit, 1)} requests in ${rangeText(window, 1000)} s`;

const contradictedText = ({ best, decisions }: LimiterIdentification): string =>
  best === null || best.wrong === 0
    ? ''
    : `, which contradicts ${best.wrong} of ${decisions} decisions`;

interface FitTerms {
  /** A cause of refusals other than the limit of requests; `null` if nothing suggests such a cause. */
  readonly otherCause: string | null;
  /** The limit that all headers report; `null` if the headers report no limit or several limits. */
  readonly reported: number | null;
}

/**
 * Returns whether a fitted limiter and the headers agree on a limit below the declared limit. Without the headers, the
 * fitted limit would be too close to the declared limit to be evidence.
 */
const isReportedLower = (
  { limit, window }: LimiterFit,
  rule: LimitRule,
  reported: number | null,
): boolean =>
  reported !== null &&
  reported < rule.limit &&
  limit.most < rule.limit &&
  includes(limit, reported) &&
  !isDisjoint(window, shortestWindow(rule.window), longestWindow(rule.window));

/**
 * Checks whether a limiter of another limit explains the decisions. Only this check finds a violation with a fitted
 * limiter, since the facts miss small differences between limits.
 */
export const checkFit = (
  identification: LimiterIdentification,
  rule: LimitRule,
  refusals: number,
  { otherCause, reported }: FitTerms,
): LimitCheck => {
  const { best, ties } = identification;
  const isConclusive = isExplained(identification, refusals);
  const explanations = best === null ? [] : [best, ...ties];
  const isOther =
    isConclusive &&
    explanations.every((fit) => isOtherLimiter(fit, rule) || isReportedLower(fit, rule, reported));
  const isOnly = isConclusive && (ties.length === 0 || isOther);
  // Other users of the key lower the amount that remains for this client, but never raise it. So another cause excuses
  // only a lower limit.
  const isExcusable = explanations.every((fit) => isLower(fit, rule));
  const contradicted = isConclusive ? contradictedText(identification) : '';
  const isExcused = isOther && isExcusable && otherCause !== null;
  return advisoryCheck({
    id: 'limit-fitted',
    claim: `What explains the decisions is a limiter of ${rule.limit} requests in ${rule.window / 1000} s.`,
    section: '8',
    finding: !isOnly || isExcused ? 'undecided' : isOther ? 'refuted' : 'proved',
    violates: true,
    observed:
      best === null
        ? 'no class explains the decisions'
        : `${fitText(best)}${contradicted}${isOnly ? '' : '; others explain them, too, or it does not explain all'}${isExcused ? `; but ${otherCause}` : ''}`,
  });
};
