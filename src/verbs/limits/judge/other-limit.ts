import type { LimiterClass, LimitRule } from '../../../model/limits/limit-log.ts';
import type { Fitted, LimiterFit } from '../../../model/limits/limiter-fit.ts';
import { fewRequests } from './facts/request-spans.ts';
import { longestWindow, shortestWindow } from '../../../judge/limits/facts/rule-bounds.ts';

/** Minimum refusals in a log for a conclusion from a model. */
export const minRefusals = 10;

/** Classes that refill steadily: only limit / window shows, so their limit is as uncertain as their window. */
const refillingClasses: readonly LimiterClass[] = [
  'token-bucket',
  'burst-bucket',
  'stepped-bucket',
  'leaky-queue',
];

/** Of a small limit, no more requests than this share can have come before the log without a trace; one always can. */
const fewShare = 1 / 20;

const fewOf = ({ limit }: LimitRule): number =>
  Math.max(1, Math.min(fewRequests, Math.floor(limit * fewShare)));

const isDisjoint = (a: Omit<Fitted, 'value'>, least: number, most: number): boolean =>
  a.least > most || a.most < least;

/**
 * Whether a fitted limiter certainly is not of the rule. A limiter of whole windows is not if its window
 * is the declared one and its limit is another; with another window, if it admits more than the limit
 * in one, or at another rate.
 */
export const isOtherLimiter = (
  { limiter, limit, window }: LimiterFit,
  rule: LimitRule,
): boolean => {
  const [shorter, longer] = [shortestWindow(rule.window), longestWindow(rule.window)];
  const [slowest, fastest] = [rule.limit / longer, rule.limit / shorter];
  const rate = { least: limit.least / window.most, most: limit.most / window.least };
  const isOtherRate = isDisjoint(rate, slowest, fastest);
  if (refillingClasses.includes(limiter)) return isOtherRate;
  const isDeclaredWindow = !isDisjoint(window, shorter, longer);
  // A weighted counter of one request more that rounds up decides as one of the limit that rounds down.
  const highest = rule.limit + Number(limiter === 'sliding-counter');
  // A few requests before the log, which it does not show, look like a limit that is lower by as many.
  if (isDeclaredWindow) return isDisjoint(limit, rule.limit - fewOf(rule), highest);
  return limit.least > rule.limit || isOtherRate;
};

/** Whether a fitted limiter may admit less than the rule. */
export const isLower = ({ limit, window }: LimiterFit, rule: LimitRule): boolean =>
  limit.least / window.most < rule.limit / rule.window;

/** How far apart the ends of a rate's interval may be that shows another rate of a small bucket. */
const sharpRate = 1.05;

/** A bucket that counts whole seconds and drops the fraction of a token that is left in each has at least this share of a rate below one a second. */
const wholeSecondShare = 0.7;

/** Whether a bucket of the rule that counts whole seconds can be as slow. */
const canDropFractions = ({ limiter, limit, window }: LimiterFit, rule: LimitRule): boolean => {
  const declared = rule.limit / rule.window;
  return (
    limiter !== 'leaky-queue' &&
    refillingClasses.includes(limiter) &&
    declared * 1000 < 1 &&
    limit.least / window.most < declared &&
    limit.most / window.least > wholeSecondShare * declared
  );
};

/**
 * Whether a fitted limiter may accuse. A bucket that holds a few requests has one parameter more, which explains much: only a
 * rate that is lower and narrowly bounded shows; facts see one that is higher.
 */
export const isAccusing = (fit: LimiterFit, rule: LimitRule): boolean => {
  if (canDropFractions(fit, rule)) return false;
  if (fit.limiter !== 'burst-bucket') return isOtherLimiter(fit, rule);
  const { limit, window } = fit;
  const [slowest, fastest] = [limit.least / window.most, limit.most / window.least];
  return isOtherLimiter(fit, rule) && isLower(fit, rule) && fastest <= sharpRate * slowest;
};

const includes = ({ least, most }: Fitted, value: number): boolean =>
  least <= value && value <= most;

/** Whether a fitted limiter can be another than that of the rule: what explains as well is not all of the rule, and nothing of it is the rule itself. */
export const canBeOther = ({ limiter, limit, window }: LimiterFit, rule: LimitRule): boolean => {
  const [shorter, longer] = [shortestWindow(rule.window), longestWindow(rule.window)];
  if (refillingClasses.includes(limiter)) {
    const [slowest, fastest] = [rule.limit / longer, rule.limit / shorter];
    return limit.least / window.most < slowest || limit.most / window.least > fastest;
  }
  const isRule =
    (limit.value === rule.limit && includes(window, rule.window)) ||
    (window.value === rule.window && includes(limit, rule.limit));
  const isDeclared =
    limit.least >= rule.limit - fewOf(rule) &&
    limit.most <= rule.limit &&
    window.least >= shorter &&
    window.most <= longer;
  return !isRule && !isDeclared;
};
