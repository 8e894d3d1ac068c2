import { advisoryCheck, type LimitCheck } from '../../../../model/limits/limit-log.ts';
import { sumInFlight } from '../../../../judge/limits/facts/early-refusals.ts';
import { isAdmitted, isRefused, type TokenLog, usedTokens } from '../../model/token-log.ts';
import { type ChargeTerms, chargesOf, roundedCount } from './token-charges.ts';

/** Returns whether the rest stood still from first to last although half the limit was used in a burst. */
const isConstant = ({ replies, rule }: TokenLog): boolean => {
  const told = replies.filter((reply) => isAdmitted(reply) && reply.reported !== null);
  const used = [1, 2, 3].map((serial) =>
    told
      .filter(({ burst }) => burst === serial)
      .reduce((sum, reply) => sum + (usedTokens(reply) ?? 0), 0),
  );
  const isUsed = Math.max(...used) > rule.tokens / 2;
  return isUsed && new Set(told.map(({ reported }) => reported!.remaining)).size === 1;
};

/** Counts the refusals for tokens although the rest before them was more than all that can have been charged since. */
const refusedWithRest = (log: TokenLog, terms: ChargeTerms): number => {
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

/** Returns the limits that headers report other than the declared one. */
export const otherLimits = ({ replies, rule }: TokenLog): readonly number[] =>
  [...new Set(replies.flatMap(({ reported }) => reported?.limit ?? []))].filter(
    (limit) => limit !== rule.tokens,
  );

/** Checks that the remaining tokens of the headers are those that are left. */
export const checkReportedTokens = (log: TokenLog, terms: ChargeTerms): LimitCheck => {
  const told = log.replies.filter(({ reported }) => reported !== null);
  const others = otherLimits(log);
  const refused = refusedWithRest(log, terms);
  const wrong = [
    ...(isConstant(log) ? ['it never fell, while more than half the limit was used'] : []),
    ...(refused > 0 ? [`${refused} refused although enough remained`] : []),
    ...(others.length > 0 ? [`it says a limit of ${others.map(roundedCount).join(' and ')}`] : []),
  ];
  return advisoryCheck({
    id: 'token-remaining',
    claim: 'The headers report the limit of tokens and what remains of it.',
    finding: told.length === 0 ? 'undecided' : wrong.length > 0 ? 'refuted' : 'proved',
    observed:
      told.length === 0
        ? 'no header reports the remaining tokens'
        : wrong.length > 0
          ? wrong.join('; ')
          : `${told.length} answers`,
  });
};
