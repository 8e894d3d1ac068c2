import {
  advisoryCheck,
  type LimitCheck,
  type LimiterClass,
  type LimitRule,
} from '../../../model/limits/limit-log.ts';
import type {
  Fitted,
  LimiterFit,
  LimiterIdentification,
} from '../../../model/limits/limiter-fit.ts';
import { longestWindow, shortestWindow } from '../facts/rule-bounds.ts';

/** Classes that refill steadily: only limit / window shows, so their limit is as uncertain as their window. */
const refillingClasses: readonly LimiterClass[] = [
  'token-bucket',
  'burst-bucket',
  'stepped-bucket',
  'leaky-queue',
];

/** Minimum refusals and admissions for a conclusion from a model. */
const minRefusals = 10;

const isDisjoint = (a: Omit<Fitted, 'value'>, least: number, most: number): boolean =>
  a.least > most || a.most < least;

/**
 * Whether a fitted limiter certainly is not of the rule. A limiter of whole windows is not if its window
 * is the declared one and its limit is another; with another window, if it admits more than the limit
 * in one, or at another rate.
 */
const isOtherLimiter = ({ limiter, limit, window }: LimiterFit, rule: LimitRule): boolean => {
  const [shorter, longer] = [shortestWindow(rule.window), longestWindow(rule.window)];
  const [slowest, fastest] = [rule.limit / longer, rule.limit / shorter];
  const rate = { least: limit.least / window.most, most: limit.most / window.least };
  const isOtherRate = isDisjoint(rate, slowest, fastest);
  if (refillingClasses.includes(limiter)) return isOtherRate;
  const isDeclaredWindow = !isDisjoint(window, shorter, longer);
  if (isDeclaredWindow) return isDisjoint(limit, rule.limit, rule.limit);
  return limit.least > rule.limit || isOtherRate;
};

/** Whether exactly one class explains every decision, and the decisions refute all others. */
const isOnlyExplanation = ({ best, ties, ranking }: LimiterIdentification): boolean =>
  best?.wrong === 0 &&
  best.limiter !== 'in-flight' &&
  ties.length === 0 &&
  ranking.every((fit) => fit.limiter === best.limiter || fit.wrong > 0);

const rangeText = ({ value, least, most }: Fitted, scale: number): string => {
  const show = (amount: number): string => String(Number((amount / scale).toFixed(1)));
  return least === most ? show(value) : `${show(value)} (${show(least)} to ${show(most)})`;
};

const fitText = ({ limiter, limit, window }: LimiterFit): string =>
  `${limiter}: ${rangeText(limit, 1)} requests in ${rangeText(window, 1000)} s`;

/**
 * Whether a model shows that another limit is enforced: the one case in which a model violates, since
 * facts cannot see a limit that is only a little too low or too high.
 */
export const checkFit = (
  identification: LimiterIdentification,
  rule: LimitRule,
  refusals: number,
  otherCause: string | null,
): LimitCheck => {
  const { best } = identification;
  const isOnly = isOnlyExplanation(identification) && refusals >= minRefusals;
  const isOther = best !== null && isOnly && isOtherLimiter(best, rule);
  // Others who use the key lower what is left for this client, and never raise it.
  const isLower = best !== null && best.limit.most / best.window.least < rule.limit / rule.window;
  const isExcused = isOther && isLower && otherCause !== null;
  return advisoryCheck({
    id: 'limit-fitted',
    claim: `The limiter that alone explains every decision enforces ${rule.limit} requests in ${rule.window / 1000} s.`,
    section: '8',
    finding: !isOnly || isExcused ? 'undecided' : isOther ? 'refuted' : 'proved',
    violates: true,
    observed:
      best === null
        ? 'no class explains the decisions'
        : `${fitText(best)}${isOnly ? '' : '; others explain them, too, or it does not explain all'}${isExcused ? `; but ${otherCause}` : ''}`,
  });
};
