import type { LimitLog } from '../../../model/limits/limit-log.ts';
import type {
  LimiterExplanation,
  LimiterFit,
  LimiterIdentification,
} from '../../../model/limits/limiter-fit.ts';
import { isDelayed } from '../limiter/answer-delays.ts';
import { fitCounters } from '../limiter/fit-counters.ts';
import { fitOtherLimits } from '../limiter/fit-limits.ts';
import {
  distinguishLimiters,
  identifyLimiter,
  type LimiterTerms,
} from '../limiter/identify-limiter.ts';
import { replayEvidence } from '../limiter/replay-class.ts';
import { serverOffset } from '../limiter/server-window.ts';
import { canBeOther, isAccusing, isLower, isOtherLimiter, minRefusals } from './other-limit.ts';
import { decisionsToReplay, otherRequests, undecidedChats } from './limiter-decisions.ts';

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
    clock: serverOffset(replies),
    besides: besidesOf(log),
  };
};

/** The limiter of the declared limit behind a log, and what it can have counted. Without one all requests may have been counted, and not only chats. */
const nameDeclared = (
  log: LimitLog,
  decisions: ReturnType<typeof decisionsToReplay>,
): { readonly found: LimiterIdentification; readonly terms: LimiterTerms } => {
  const terms = termsOf(log);
  const found = identifyLimiter(decisions, terms);
  const others = otherRequests(log).map((reply) => ({ ...reply, admitted: true }));
  if (found.best !== null || others.length === 0) return { found, terms };
  const all = { ...terms, besides: terms.besides.map((list) => [...list, ...others]) };
  const again = identifyLimiter(decisions, all);
  return again.best?.wrong === 0 ? { found: again, terms: all } : { found, terms };
};

/** A search for another limit needs so many wrong predictions of every limiter of the declared one. */
const minWrong = 4;
/** What explains a log contradicts at most so many decisions, */
const mostWrong = 1;
/** and what is likelier than the declared limit contradicts at most this share of what the best limiter of that does. */
const likelierShare = 0.5;

/** Up to this share of wrong predictions of a log that counts refusals another limiter may count them, which admits less of a load. */
const maxCountingErrors = 0.15;

const mayCountRefusals = ({ ranking, decisions }: LimiterIdentification): boolean =>
  ranking[0]?.limiter === 'sliding-log-counting-refusals' &&
  ranking[0].wrong <= maxCountingErrors * decisions;

const wrongOf = (ranking: readonly LimiterFit[]): number =>
  ranking.reduce((least, { wrong }) => Math.min(least, wrong), Infinity);

/**
 * Which limiter is behind the first key of an examination: one of the declared limit or, where no class of that limit
 * explains the log, one of another limit or window that explains every decision.
 */
export const nameLimiter = (log: LimitLog): LimiterIdentification => {
  const decisions = decisionsToReplay(log);
  const { found, terms } = nameDeclared(log, decisions);
  const { declared, ...known } = terms;
  const refusals = decisions.filter(({ admitted }) => !admitted).length;
  if (found.best !== null || refusals < minRefusals) return found;
  const wrong = wrongOf(found.ranking);
  const most = Math.max(mostWrong, Math.floor(likelierShare * wrong));
  const evidence = replayEvidence(decisions, { ...declared, ...known });
  const fits = [...fitOtherLimits(evidence, most), ...fitCounters(evidence, most)].toSorted(
    (a, b) => a.wrong - b.wrong,
  );
  const others = fits.filter((fit) => isOtherLimiter(fit, declared));
  const explaining = fits.filter((fit) => fit.wrong <= mostWrong);
  const [best, ...ties] = explaining;
  const isShown =
    wrong >= minWrong &&
    best?.wrong === 0 &&
    isAccusing(best, declared) &&
    // A weighted counter of any phase explains too much to accuse of.
    (best.limiter !== 'sliding-counter' || known.clock !== null) &&
    explaining.every((fit) => others.includes(fit)) &&
    !(mayCountRefusals(found) && explaining.every((fit) => isLower(fit, declared))) &&
    !isDelayed(decisions, declared);
  if (isShown) return { ...found, best, ties, runnerUp: found.ranking[0] ?? null };
  const isLikelier = (fit: LimiterFit): boolean =>
    fit.limiter === 'burst-bucket' ? isAccusing(fit, declared) : canBeOther(fit, declared);
  return { ...found, likelier: fits.filter((fit) => fit.wrong < wrong && isLikelier(fit)) };
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
  const found = distinguishLimiters(decisions, nameDeclared(log, decisions).terms, classes);
  const distinguishing = found.map(({ index, observed, predicted: [named, other] }) => {
    const { requestId, phase, sent, answered } = decisions[index]!;
    return { requestId, phase, sent, answered, observed, named, rival: other };
  });
  return { rival, distinguishing: distinguishing.toSorted((a, b) => a.sent - b.sent) };
};
