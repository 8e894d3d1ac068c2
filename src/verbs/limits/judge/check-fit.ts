import { advisoryCheck, type LimitCheck, type LimitRule } from '../../../model/limits/limit-log.ts';
import type {
  Fitted,
  LimiterFit,
  LimiterIdentification,
} from '../../../model/limits/limiter-fit.ts';
import { isLower, isOtherLimiter, minRefusals } from './other-limit.ts';

/** Decides whether enough was refused for a conclusion. A queue refuses nothing. */
const isSeen = ({ best }: LimiterIdentification, refusals: number): boolean =>
  refusals >= minRefusals || best?.limiter === 'leaky-queue';

/**
 * Decides whether a limiter is certain: one of the declared limit contradicts no decision, or one of another limit was
 * found by the search for those, and every class that is not named contradicts some.
 */
const isExplained = ({ best, ties, ranking }: LimiterIdentification): boolean =>
  best !== null &&
  (best.wrong === 0 || !ranking.includes(best)) &&
  best.limiter !== 'in-flight' &&
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

/**
 * Checks whether a model shows that another limit is enforced. This is the only case in which a model can be a
 * violation, since facts cannot see a limit that is only a little too low or too high.
 */
export const checkFit = (
  identification: LimiterIdentification,
  rule: LimitRule,
  refusals: number,
  otherCause: string | null,
): LimitCheck => {
  const { best, ties } = identification;
  const isConclusive = isExplained(identification) && isSeen(identification, refusals);
  const explanations = best === null ? [] : [best, ...ties];
  const isOther = isConclusive && explanations.every((fit) => isOtherLimiter(fit, rule));
  const isOnly = isConclusive && (ties.length === 0 || isOther);
  // Others who use the key lower the remaining of this client, and never raise it.
  const isExcusable = explanations.every((fit) => isLower(fit, rule));
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
        : `${fitText(best)}${isConclusive ? contradictedText(identification) : ''}${isOnly ? '' : '; others explain them, too, or it does not explain all'}${isExcused ? `; but ${otherCause}` : ''}`,
  });
};
