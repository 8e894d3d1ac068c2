import type { LimitLog, LimitRule } from '../../../model/limits/limit-log.ts';
import type {
  LimiterExplanation,
  LimiterFit,
  LimiterIdentification,
} from '../../../model/limits/limiter-fit.ts';
import { ignoresRefusals } from './facts/sustained-rate.ts';
import { isDelayed } from '../../../judge/limits/limiter/answer-delays.ts';
import { fitCounters } from './limiter/fit-counters.ts';
import { fitOtherLimits } from './limiter/fit-limits.ts';
import {
  distinguishLimiters,
  identifyLimiter,
  type LimiterTerms,
} from '../../../judge/limits/limiter/identify-limiter.ts';
import { replayEvidence, type ReplayEvidence } from '../../../judge/limits/limiter/replay-class.ts';
import { serverOffset } from '../../../judge/limits/limiter/server-window.ts';
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

/** A cap on requests in flight that contradicts more is not what is behind a log. */
const mostWrongOfCap = 2;

/** The fewest wrong predictions of a limiter of the declared limit, or of a cap. */
const wrongOf = (ranking: readonly LimiterFit[]): number =>
  ranking
    .filter(({ limiter, wrong }) => limiter !== 'in-flight' || wrong <= mostWrongOfCap)
    .reduce((least, { wrong }) => Math.min(least, wrong), Infinity);

/** A request that was counted, or not, is the reason of at most so many wrong predictions: of a few that follow it. */
const mostByOthers = 4;

/** What else can have been counted: as it is, and with requests that are no chats. */
const withOthers = (log: LimitLog, besides: LimiterTerms['besides']): LimiterTerms['besides'] => {
  const { usual, all } = otherRequests(log);
  const kinds = [[], usual, all].filter((kind, i) => i === 0 || kind.length > 0);
  return kinds.flatMap((kind) => besides.map((list) => [...list, ...kind]));
};

/** The limiter of the declared limit behind a log, and what it can have counted. Without one all requests may have been counted, and not only chats. */
const nameDeclared = (
  log: LimitLog,
  decisions: ReturnType<typeof decisionsToReplay>,
): { readonly found: LimiterIdentification; readonly terms: LimiterTerms } => {
  const terms = termsOf(log);
  const found = identifyLimiter(decisions, terms);
  const others = otherRequests(log).usual;
  const isHopeless = wrongOf(found.ranking) > mostByOthers * others.length;
  if (found.best !== null || others.length === 0 || isHopeless) return { found, terms };
  const all = { ...terms, besides: terms.besides.map((list) => [...list, ...others]) };
  const again = identifyLimiter(decisions, all);
  if (again.best?.wrong === 0) return { found: again, terms: all };
  return wrongOf(again.ranking) < wrongOf(found.ranking)
    ? { found: { ...again, best: null, ties: [], runnerUp: again.ranking[0] ?? null }, terms: all }
    : { found, terms };
};

/** A search for another limit needs so many wrong predictions of every limiter of the declared one. */
const minWrong = 4;
/** What explains a log contradicts at most so many decisions, or this share of them, */
const mostWrong = 2;
const mostWrongShare = 0.015;
/** and what is likelier than the declared limit contradicts at most this share of what the best limiter of that does. */
const likelierShare = 0.5;
/** A limiter that contradicts a decision is shown if each one of the declared limit contradicts so many times as many, */
const minShownContrast = 25;
/** and a weighted counter of any phase, which explains more than others, if each contradicts so many and nothing else explains. */
const minOfAnyPhase = 16;

const isClear = (ties: readonly LimiterFit[], rival: number): boolean =>
  ties.length === 0 && rival >= minOfAnyPhase;

/** Whether a log has what another limit must show, and nothing that only looks like one. */
const isConvincing = (
  fits: readonly LimiterFit[],
  decisions: ReturnType<typeof decisionsToReplay>,
  declared: LimitRule,
): boolean => {
  // A queue shows its rate by the times of its answers.
  if (fits.every(({ limiter }) => limiter === 'leaky-queue')) return true;
  const [isSomeLower, isEachLower] = [
    fits.some((fit) => isLower(fit, declared)),
    fits.every((fit) => isLower(fit, declared)),
  ];
  // A window that ends within the only burst looks like a higher limit.
  const isSeenTwice =
    isEachLower || decisions.some(({ phase }) => phase === 'sustained' || phase === 'concurrency');
  return (
    isSeenTwice &&
    !isDelayed(decisions, declared) &&
    // What counts refusals admits less of a load, and a lower limit that counts none explains some of its logs.
    (!isSomeLower || ignoresRefusals(decisions, declared))
  );
};

/** The limiters of another limit that contradict at most so many decisions, the best first: the queue whose pace delayed requests show, or what decides at once. */
const fitOthers = (evidence: ReplayEvidence, most: number): readonly LimiterFit[] => {
  const queue = evidence.queued?.other ?? null;
  return queue === null
    ? [...fitOtherLimits(evidence, most), ...fitCounters(evidence, most)].toSorted(
        (a, b) => a.wrong - b.wrong,
      )
    : [queue];
};

/** Whether those of the limiters of another limit that explain a log leave no doubt, where one of the declared limit contradicts `rival` decisions at the least. */
const isBeyondDoubt = (
  explaining: readonly LimiterFit[],
  rival: number,
  decisions: ReturnType<typeof decisionsToReplay>,
  { context, queued }: ReplayEvidence,
): boolean => {
  const [best, ...ties] = explaining;
  if (best === undefined || queued?.isDoubtful === true) return false;
  return (
    rival >= Math.max(minWrong, minShownContrast * best.wrong) &&
    isAccusing(best, context) &&
    (best.limiter !== 'sliding-counter' || context.clock !== null || isClear(ties, rival)) &&
    explaining.every((fit) => isOtherLimiter(fit, context)) &&
    isConvincing(explaining, decisions, context)
  );
};

/**
 * Which limiter is behind the first key of an examination: one of the declared limit or, where no class of that limit
 * explains the log, one of another limit or window that explains it.
 */
export const nameLimiter = (log: LimitLog): LimiterIdentification => {
  const decisions = decisionsToReplay(log);
  const { found, terms } = nameDeclared(log, decisions);
  if (found.best !== null) return found;
  const { declared, clock } = terms;
  const besides = withOthers(log, besidesOf(log));
  const evidence = replayEvidence(decisions, { ...declared, clock, besides });
  const refusals = decisions.filter(({ admitted }) => !admitted).length;
  const isQueue = (evidence.queued?.other ?? null) !== null;
  if (!isQueue && refusals < minRefusals) return found;
  const wrong = wrongOf(found.ranking);
  const allowed = Math.max(mostWrong, Math.floor(mostWrongShare * decisions.length));
  const fits = fitOthers(evidence, Math.max(allowed, Math.floor(likelierShare * wrong)));
  const explaining = fits.filter((fit) => fit.wrong <= allowed);
  const rival = fits
    .filter((fit) => !isOtherLimiter(fit, declared))
    .reduce((least, fit) => Math.min(least, fit.wrong), wrong);
  if (isBeyondDoubt(explaining, rival, decisions, evidence)) {
    const [best = null, ...ties] = explaining;
    return { ...found, best, ties, runnerUp: found.ranking[0] ?? null };
  }
  const isLikelier = (fit: LimiterFit): boolean =>
    fit.limiter === 'burst-bucket' ? isAccusing(fit, declared) : canBeOther(fit, declared);
  return { ...found, likelier: fits.filter((fit) => fit.wrong < wrong && isLikelier(fit)) };
};

/** The decisions that distinguish the limiter that a log names from the best one that is not as good. */
export const explainLimiter = (
  log: LimitLog,
  { best, ties, ranking }: LimiterIdentification,
): LimiterExplanation => {
  // A limiter of another limit is no part of the ranking.
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
