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

/** The fewest refusals in a log from which a model of a limiter is concluded. */
export const minRefusals = 10;

/**
 * The classes that refill steadily. Only the ratio of limit and window is visible for these classes, so the limit is as
 * uncertain as the window.
 */
const refillingClasses: readonly LimiterClass[] = [
  'token-bucket',
  'burst-bucket',
  'stepped-bucket',
  'leaky-queue',
];

/** The share of a limit that requests before the log may have used without a trace; at least one request. */
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
 * Returns whether a fitted limiter certainly breaks the rule. A fitted window that may be the declared window breaks
 * the rule if the limit is another. Any other window breaks the rule if the limit is higher or the rate is another. For
 * buckets, only the rate is known.
 */
export const isOtherLimiter = (fit: LimiterFit, rule: LimitRule): boolean => {
  const { limiter, limit, window } = fit;
  const [shorter, longer] = [shortestWindow(rule.window), longestWindow(rule.window)];
  const isOtherRate = isDisjoint(rateOf(fit), rule.limit / longer, rule.limit / shorter);
  if (refillingClasses.includes(limiter)) return isOtherRate;
  const isDeclaredWindow = !isDisjoint(window, shorter, longer);
  // A weighted counter that rounds up, with a limit that is one request higher, decides like a counter that rounds
  // down.
  const highest = rule.limit + Number(limiter === 'sliding-counter');
  // A few requests before the log lower the visible limit by the same number.
  if (isDeclaredWindow) return isDisjoint(limit, rule.limit - maxHiddenRequests(rule), highest);
  return limit.least > rule.limit || isOtherRate;
};

/** Decides whether a fitted limiter may admit less than the rule. */
export const isLower = (fit: LimiterFit, rule: LimitRule): boolean =>
  rateOf(fit).least < rule.limit / rule.window;

/** The maximum ratio between the ends of a rate's interval at which a small bucket proves another rate. */
const maxRateSpread = 1.05;
/** The lowest rate of a bucket that drops fractions each second, as a share of a declared rate below 1 per second. */
const wholeSecondShare = 0.7;

/** Returns whether a bucket of the rule that counts whole seconds can be this slow. */
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
 * Returns whether a fitted limiter is evidence against the gateway. A small bucket explains many decisions by its size
 * alone. So a small bucket is evidence only if its rate is lower and narrowly bounded. A higher rate is found by facts,
 * not by a model.
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
 * Whether a fitted limiter may differ from the rule's limiter: the fitted range does not contain the rule, and does not
 * lie within the rule.
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
  // A queue refuses nothing, so a queue needs no refusals as evidence.
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
  /** Another possible cause of refusals; `null` if nothing suggests another cause. */
  readonly otherCause: string | null;
  /** The limit that all headers name; `null` without such a limit. */
  readonly reported: number | null;
}

/**
 * Whether a fitted limiter and the headers agree on a lower limit. The fitted limit alone would be too close to the
 * declared limit.
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
 * Checks whether a model shows another limit. Only this violation needs a model of a limiter, since facts miss small
 * differences.
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
  // Other users of the key lower the amount that remains for this client, but never raise this amount.
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
