import type { LimiterDecision, LimitLog } from '../../../model/limits/limit-log.ts';
import type {
  LimiterExplanation,
  LimiterFit,
  LimiterIdentification,
} from '../../../model/limits/limiter-fit.ts';
import { isDelayed } from '../limiter/answer-delays.ts';
import { fitOtherLimits } from '../limiter/fit-limits.ts';
import {
  distinguishLimiters,
  identifyLimiter,
  type LimiterTerms,
} from '../limiter/identify-limiter.ts';
import { replayEvidence } from '../limiter/replay-class.ts';
import { serverWindow } from '../limiter/server-window.ts';
import { isOtherLimiter, minRefusals } from './other-limit.ts';
import { decisionsToReplay, undecidedChats } from './limiter-decisions.ts';

/** What else a gateway can have counted: a list of models before the log, and chats that failed after the limiter. */
const besidesOf = (log: LimitLog): LimiterTerms['besides'] => {
  const { listed } = log;
  const failed = undecidedChats(log).map((reply) => ({ ...reply, admitted: true }));
  const lists =
    listed === undefined
      ? [[]]
      : [[], [{ ...listed, ended: listed.answered, admitted: true as const }]];
  return failed.length === 0 ? lists : [...lists, ...lists.map((list) => [...list, ...failed])];
};

const termsOf = (log: LimitLog): LimiterTerms => {
  const { declared, replies } = log;
  return {
    declared: declared.requests,
    minute: serverWindow(replies, declared.requests.window),
    besides: besidesOf(log),
  };
};

/** Minimum wrong predictions of every limiter of the declared limit for a search for another limit. */
const minWrong = 4;

/** The limiters of another limit or window that explain a log, the best first; none if one of them can have the declared ones all the same. */
const otherLimiters = (
  decisions: readonly LimiterDecision[],
  { declared, ...known }: LimiterTerms,
): readonly LimiterFit[] => {
  const fits = fitOtherLimits(replayEvidence(decisions, { ...declared, ...known }));
  return fits.every((fit) => isOtherLimiter(fit, declared)) ? fits : [];
};

/**
 * Which limiter is behind the first key of an examination: one of the declared limit or, where no class of that limit
 * explains the log, one of another limit or window that explains every decision.
 */
export const nameLimiter = (log: LimitLog): LimiterIdentification => {
  const terms = termsOf(log);
  const decisions = decisionsToReplay(log);
  const found = identifyLimiter(decisions, terms);
  const isSearched =
    found.ranking.every(({ wrong }) => wrong >= minWrong) &&
    decisions.filter(({ admitted }) => !admitted).length >= minRefusals &&
    !isDelayed(decisions, terms.declared);
  const [best, ...ties] = isSearched ? otherLimiters(decisions, terms) : [];
  return best?.wrong === 0 ? { ...found, best, ties, runnerUp: found.ranking[0] ?? null } : found;
};

/** The decisions that distinguish the limiter that a log names from the best one that is not as good. */
export const explainLimiter = (
  log: LimitLog,
  { best, ties, ranking }: LimiterIdentification,
): LimiterExplanation => {
  // A limiter of another limit explains every decision, and is no part of the ranking.
  const isOther = best !== null && !ranking.includes(best);
  const isRival = ({ limiter }: (typeof ranking)[number]): boolean =>
    isOther || [best, ...ties].every((fit) => fit?.limiter !== limiter);
  const rival = best === null ? null : (ranking.find(isRival) ?? null);
  if (best === null || rival === null) return { rival: null, distinguishing: [] };
  const decisions = decisionsToReplay(log);
  const classes = [isOther ? null : best.limiter, rival.limiter] as const;
  const found = distinguishLimiters(decisions, termsOf(log), classes);
  const distinguishing = found.map(({ index, observed, predicted: [named, other] }) => {
    const { requestId, phase, sent, answered } = decisions[index]!;
    return { requestId, phase, sent, answered, observed, named, rival: other };
  });
  return { rival, distinguishing: distinguishing.toSorted((a, b) => a.sent - b.sent) };
};
