import { advisoryCheck, type LimitCheck } from '../../../../model/limits/limit-log.ts';
import { sumInFlight } from '../../../../judge/limits/facts/early-refusals.ts';
import { isAdmitted, isRefused, type TokenLog, usedTokens } from '../../model/token-log.ts';
import { type ChargeTerms, chargesOf, roundedCount } from './token-charges.ts';
import type { TokenGuards } from './token-guards.ts';

/** Returns whether the reported remaining tokens never changed although a burst used half the limit. */
const isConstant = ({ replies, rule }: TokenLog): boolean => {
  const reporting = replies.filter((reply) => isAdmitted(reply) && reply.reported !== null);
  const used = [1, 2, 3].map((serial) =>
    reporting
      .filter(({ burst }) => burst === serial)
      .reduce((sum, reply) => sum + (usedTokens(reply) ?? 0), 0),
  );
  const isUsed = Math.max(...used) > rule.tokens / 2;
  return isUsed && new Set(reporting.map(({ reported }) => reported!.remaining)).size === 1;
};

/**
 * Counts the refusals for tokens that came although enough tokens remained. The last report before such a refusal has
 * more tokens than the gateway can have charged since that report.
 */
const refusedWithRemaining = (log: TokenLog, terms: ChargeTerms): number => {
  const inFlight = sumInFlight(chargesOf(log.replies, terms), ({ most, reserved }) =>
    Math.max(most, reserved),
  );
  return log.replies.filter((reply) => {
    if (!isRefused(reply) || reply.unit !== 'tokens') return false;
    const before = log.replies.findLast(
      ({ answered, reported, status }) =>
        answered <= reply.sent && reported !== null && status === 200,
    );
    return (
      before !== undefined &&
      before.reported!.remaining > inFlight({ sent: before.sent, answered: reply.answered })
    );
  }).length;
};

/** Returns the limits in headers that differ from the declared limit. */
export const otherLimits = ({ replies, rule }: TokenLog): readonly number[] =>
  [...new Set(replies.flatMap(({ reported }) => reported?.limit ?? []))].filter(
    (limit) => limit !== rule.tokens,
  );

/** The reported remaining tokens are accepted as true only if they drop by at least this share of the limit. */
const shownFall = 1 / 2;

/** Returns why nothing shows that the reported remaining tokens are true; `null` if they are accepted as true. */
const whyRemainingIsUnsure = (
  { replies, rule }: TokenLog,
  { counting, hasRemaining }: Pick<TokenGuards, 'counting' | 'hasRemaining'>,
): string | null => {
  if (!hasRemaining) return 'most answers have none';
  if (counting.finding !== 'usage' && counting.finding !== 'near')
    return 'it does not show the charge of single chats';
  const remaining = replies.flatMap(({ reported }) => reported?.remaining ?? []);
  const fall = Math.max(...remaining) - Math.min(...remaining);
  return fall >= shownFall * rule.tokens
    ? null
    : `it only fell by ${roundedCount(fall)} tokens, since it was seldom reported`;
};

/** Checks whether the headers report the remaining tokens correctly. */
export const checkReportedTokens = (
  log: TokenLog,
  guards: Pick<TokenGuards, 'counting' | 'hasRemaining' | 'terms'>,
): LimitCheck => {
  const reporting = log.replies.filter(({ reported }) => reported !== null);
  const others = otherLimits(log);
  const refused = refusedWithRemaining(log, guards.terms);
  const wrong = [
    ...(isConstant(log) ? ['it never fell, while more than half the limit was used'] : []),
    ...(refused > 0 ? [`${refused} refused although enough remained`] : []),
    ...(others.length > 0 ? [`it says a limit of ${others.map(roundedCount).join(' and ')}`] : []),
  ];
  const unsure = reporting.length === 0 ? null : whyRemainingIsUnsure(log, guards);
  const isUnseen = reporting.length === 0 || unsure !== null;
  return advisoryCheck({
    id: 'token-remaining',
    claim: 'The headers report the limit of tokens and what remains of it.',
    finding: wrong.length > 0 ? 'refuted' : isUnseen ? 'undecided' : 'proved',
    observed:
      reporting.length === 0
        ? 'no header reports the remaining tokens'
        : wrong.length > 0
          ? wrong.join('; ')
          : `${reporting.length} answers${unsure === null ? '' : `, but ${unsure}`}`,
  });
};
