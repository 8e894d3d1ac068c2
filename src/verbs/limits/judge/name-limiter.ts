import {
  type LimitLog,
  type LimitRule,
  type ProbeReply,
  reportedLimitOf,
} from '../../../model/limits/limit-log.ts';
import type {
  LimiterExplanation,
  LimiterFit,
  LimiterIdentification,
} from '../../../model/limits/limiter-fit.ts';
import { ignoresRefusals } from './facts/limit-facts.ts';
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
import {
  decisionsToReplay,
  otherRequests,
  tokenRefusals,
  undecidedChats,
} from './limiter-decisions.ts';

/**
 * Returns the lists of further requests that a gateway may have counted beside the answered chats. The lists contain,
 * or leave out, the request for the model list and the failed chats.
 */
const besidesOf = (log: LimitLog): LimiterTerms['besides'] => {
  const { listed } = log;
  const failed = undecidedChats(log).map((reply) => ({ ...reply, admitted: true }));
  const lists =
    listed === undefined
      ? [[]]
      : [[], [{ ...listed, ended: listed.answered, admitted: true as const }]];
  return failed.length === 0 ? lists : [...lists, ...lists.map((list) => [...list, ...failed])];
};

const maxWrongOfCap = 2;

/**
 * Returns the number of decisions that the best limiter of the declared limit contradicts. A cap on requests in flight
 * is considered only if it contradicts few decisions.
 */
const fewestWrong = (ranking: readonly LimiterFit[]): number =>
  ranking
    .filter(({ limiter, wrong }) => limiter !== 'in-flight' || wrong <= maxWrongOfCap)
    .reduce((least, { wrong }) => Math.min(least, wrong), Infinity);

/**
 * If the replay leaves out a request that the gateway counted, a correct limiter contradicts at most this many
 * decisions.
 */
const maxWrongByOthers = 4;

/**
 * Combines each list of further requests with requests that are not chats: with none, with the usual requests, and with
 * all requests.
 */
const withOthers = (log: LimitLog, besides: LimiterTerms['besides']): LimiterTerms['besides'] => {
  const { usual, all } = otherRequests(log);
  const kinds = [[], usual, all].filter((kind, i) => i === 0 || kind.length > 0);
  return kinds.flatMap((kind) => besides.map((list) => [...list, ...kind]));
};

/**
 * Identifies the limiter of the declared limit, and the requests that this limiter counted: chats alone, or also other
 * requests if chats alone identify no limiter.
 */
const nameDeclared = (log: LimitLog, decisions: readonly ProbeReply[]) => {
  const clock = serverOffset(log.replies);
  const terms: LimiterTerms = {
    declared: log.declared.requests,
    clock,
    besides: besidesOf(log),
    failed: undecidedChats(log).length,
  };
  const found = identifyLimiter(decisions, terms);
  const others = otherRequests(log).usual;
  const isHopeless = fewestWrong(found.ranking) > maxWrongByOthers * others.length;
  if (found.best !== null || others.length === 0 || isHopeless) return { found, terms };
  const all = { ...terms, besides: terms.besides.map((list) => [...list, ...others]) };
  const again = identifyLimiter(decisions, all);
  if (again.best?.wrong === 0) return { found: again, terms: all };
  return fewestWrong(again.ranking) < fewestWrong(found.ranking)
    ? { found: { ...again, best: null, ties: [], runnerUp: again.ranking[0] ?? null }, terms: all }
    : { found, terms };
};

/** Another limit is tried only if every limiter of the declared limit contradicts at least this many decisions. */
const minWrong = 4;
/**
 * A limiter explains a log only if it contradicts at most this many decisions, or at most this share of the decisions.
 */
const maxWrong = 2;
const maxWrongShare = 0.015;
/**
 * Another limit is likelier than the declared limit if its best limiter contradicts at most this share of the decisions
 * that the best limiter of the declared limit contradicts.
 */
const likelierRatio = 0.5;
/**
 * Another limit is beyond doubt only if every limiter of the declared limit contradicts at least this many times as
 * many decisions as the limiter of the other limit.
 */
const minShownContrast = 25;
/**
 * Without the server's clock, a weighted counter of another limit is beyond doubt only if all other limiters contradict
 * at least this many decisions. A counter whose phase is unknown fits more logs than other limiters.
 */
const minOfAnyPhase = 16;

/**
 * Returns whether a log can prove another limit. It cannot if one of the causes below explains the log without another
 * limit.
 */
const isConvincing = (
  fits: readonly LimiterFit[],
  decisions: readonly ProbeReply[],
  declared: LimitRule,
): boolean => {
  // A queue shows its rate in the times of the answers, so it needs no further evidence.
  if (fits.every(({ limiter }) => limiter === 'leaky-queue')) return true;
  const isSomeLower = fits.some((fit) => isLower(fit, declared));
  const isEachLower = fits.every((fit) => isLower(fit, declared));
  // If a window ends during a log's only burst, the limit looks too high. So a higher limit is proved only if the log
  // also has requests of the sustained or the concurrency phase.
  const isSeenTwice =
    isEachLower || decisions.some(({ phase }) => phase === 'sustained' || phase === 'concurrency');
  return (
    isSeenTwice &&
    !isDelayed(decisions, declared) &&
    // A limiter that counts refusals seems to have a lower limit, so a lower limit is proved only if refusals are
    // ignored.
    (!isSomeLower || ignoresRefusals(decisions, declared))
  );
};

const fitOthers = (evidence: ReplayEvidence, most: number): readonly LimiterFit[] => {
  const queue = evidence.queued?.other ?? null;
  if (queue !== null) return [queue];
  const fits = [...fitOtherLimits(evidence, most), ...fitCounters(evidence, most)];
  return fits.toSorted((a, b) => a.wrong - b.wrong);
};

/**
 * Returns whether the gateway beyond doubt has another limit than declared. `rival` is the lowest number of decisions
 * that any other limiter contradicts.
 */
const isBeyondDoubt = (
  explaining: readonly LimiterFit[],
  rival: number,
  decisions: readonly ProbeReply[],
  { context, queued }: ReplayEvidence,
): boolean => {
  const [best, ...ties] = explaining;
  if (best === undefined || queued?.isDoubtful === true) return false;
  return (
    rival >= Math.max(minWrong, minShownContrast * best.wrong) &&
    isAccusing(best, context) &&
    (best.limiter !== 'sliding-counter' ||
      context.clock !== null ||
      (ties.length === 0 && rival >= minOfAnyPhase)) &&
    explaining.every((fit) => isOtherLimiter(fit, context)) &&
    isConvincing(explaining, decisions, context)
  );
};

/**
 * Returns whether the decisions can show a limiter. If no request was refused, only the delays of a queue can show one.
 * If chats were refused for tokens, the request limiter's decisions on them are unknown, so the log shows no limiter.
 */
const canShowLimiter = (
  log: LimitLog,
  decisions: readonly ProbeReply[],
  { best }: LimiterIdentification,
): boolean =>
  tokenRefusals(log).length === 0 &&
  (best?.limiter === 'leaky-queue' || decisions.some(({ admitted }) => !admitted));

/**
 * Identifies the limiter of the first key. The limiter has the declared limit, or another limit if no limiter of the
 * declared limit explains the log. If no request was refused, only a queue can be identified.
 */
export const nameLimiter = (log: LimitLog): LimiterIdentification => {
  const decisions = decisionsToReplay(log);
  const found = findLimiter(log, decisions);
  if (!canShowLimiter(log, decisions, found))
    return { ...found, best: null, ties: [], runnerUp: null, likelier: [] };
  return found.best === null ? (nameReported(log, decisions) ?? found) : found;
};

/**
 * Returns the limit of requests in the headers of the first key; `null` if the headers report no limit or several
 * limits.
 */
export const reportedRequests = ({ replies }: LimitLog): number | null => {
  const named = replies
    .filter(({ key }) => key === 'first')
    .flatMap((reply) => reportedLimitOf(reply, 'requests')?.limit ?? []);
  const [first = null, ...others] = new Set(named);
  return others.length === 0 ? first : null;
};

/**
 * Identifies the limiter that explains every decision with the limit in the headers, if this limit is lower than
 * declared. Returns `null` if there is none.
 */
const nameReported = (
  log: LimitLog,
  decisions: readonly ProbeReply[],
): LimiterIdentification | null => {
  const { declared } = log;
  const reported = reportedRequests(log);
  if (reported === null || reported < 1 || reported >= declared.requests.limit) return null;
  const requests = { ...declared.requests, limit: reported };
  const { found } = nameDeclared({ ...log, declared: { ...declared, requests } }, decisions);
  return found.best?.wrong === 0 ? found : null;
};

const findLimiter = (log: LimitLog, decisions: readonly ProbeReply[]): LimiterIdentification => {
  const { found, terms } = nameDeclared(log, decisions);
  if (found.best !== null) return found;
  const { declared, clock } = terms;
  const besides = withOthers(log, besidesOf(log));
  const evidence = replayEvidence(decisions, { ...declared, clock, besides });
  const refusals = decisions.filter(({ admitted }) => !admitted).length;
  const isQueue = (evidence.queued?.other ?? null) !== null;
  if (!isQueue && refusals < minRefusals) return found;
  const wrong = fewestWrong(found.ranking);
  const allowed = Math.max(maxWrong, Math.floor(maxWrongShare * decisions.length));
  const fits = fitOthers(evidence, Math.max(allowed, Math.floor(likelierRatio * wrong)));
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

/** Returns the decisions that distinguish the identified limiter from the best other limiter. */
export const explainLimiter = (
  log: LimitLog,
  { best, ties, ranking }: LimiterIdentification,
): LimiterExplanation => {
  // The ranking has only limiters of the declared limit, so a limiter outside it has another limit.
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
