import {
  type LimiterDecision,
  type LimitRule,
  type LimiterClass,
  limiterClassNames,
} from '../../../model/limits/limit-log.ts';
import type {
  Fitted,
  LimiterFit,
  LimiterIdentification,
} from '../../../model/limits/limiter-fit.ts';
import {
  limiterCandidates,
  type LimiterParameters,
  type ReplayContext,
} from './limiter-candidates.ts';
import { isDelayed } from './answer-delays.ts';
import { type LimiterModel, limiters } from './limiter-models.ts';
import { type DecisionHistory, decisionHistoriesOf, middleOf } from './decision-history.ts';

/** Shorter delays, in round trips, are ignored. */
const minNoticeableRoundTrips = 3;

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/**
 * Compares the delays of the admitted requests with a queue that admits one every window / limit: how
 * many such a queue would delay noticeably, and how many of those were answered at another time.
 */
const queueDelays = (log: readonly LimiterDecision[], { limit, window }: LimitRule) => {
  const admitted = log.filter((decision) => decision.admitted).toSorted((a, b) => a.sent - b.sent);
  const spacing = window / limit;
  // The first request never waits; the fastest answer is one round trip.
  const roundTrip = admitted.reduce(
    (least, { sent, answered }) => Math.min(least, answered - sent),
    Infinity,
  );
  const jitter = median(admitted.map(({ sent, answered }) => answered - sent - roundTrip));
  const tolerance = Math.min(spacing / 2, minNoticeableRoundTrips * roundTrip + spacing / 10);
  let free = Number.NEGATIVE_INFINITY;
  let waited = 0;
  let wrong = 0;
  for (const { sent, answered } of admitted) {
    const dueThrough = Math.max(sent, free);
    // Follow the observed answers, so that one late answer is one mistake.
    free = Math.max(dueThrough, Math.min(dueThrough + tolerance, answered - roundTrip)) + spacing;
    if (dueThrough - sent < Math.max(minNoticeableRoundTrips * roundTrip, spacing / 4)) continue;
    waited += 1;
    if (Math.abs(answered - roundTrip - dueThrough) > tolerance + Math.min(jitter, spacing / 4))
      wrong += 1;
  }
  return { waited, wrong };
};

/** What a limiter does not explain; `null` once it is wrong more often than `most`. */
const replay = (
  { decisions, priors, slack }: DecisionHistory,
  model: LimiterModel,
  most: number,
): Pick<ReplayedFit, 'wrong' | 'unlikely'> | null => {
  let wrong = 0;
  let unlikely = 0;
  for (const [place, decision] of decisions.entries()) {
    const { sent, answered, admitted } = decision;
    const prior = priors[place]!;
    if (model(prior, middleOf(decision)) === admitted) continue;
    unlikely += 1;
    const moments = [sent - slack, sent, answered, answered + slack];
    if (moments.every((moment) => model(prior, moment) !== admitted)) wrong += 1;
    if (wrong > most) return null;
  }
  return { wrong, unlikely };
};

interface ReplayedFit {
  readonly limiter: LimiterClass;
  readonly limit: number;
  readonly wrong: number;
  readonly unlikely: number;
  readonly phase: number | null;
  readonly burst: number | null;
  readonly steps: number | null;
}

const better = (a: ReplayedFit, b: ReplayedFit): ReplayedFit =>
  b.wrong < a.wrong || (b.wrong === a.wrong && b.unlikely < a.unlikely) ? b : a;

const describeFit = (limiter: LimiterClass, parameters: LimiterParameters) => {
  const { limit } = parameters;
  const own = (name: 'phase' | 'burst' | 'steps'): number | null =>
    limiters[limiter].named?.includes(name) === true ? parameters[name] : null;
  return { limiter, limit, phase: own('phase'), burst: own('burst'), steps: own('steps') };
};

const bestOf = (
  limiter: LimiterClass,
  history: DecisionHistory,
  context: ReplayContext,
): ReplayedFit | null => {
  const tried = limiterCandidates(limiter, history, context);
  let best: ReplayedFit | null = null;
  for (const parameters of tried) {
    const model = limiters[limiter].model(history, parameters);
    const left = replay(history, model, best?.wrong ?? Infinity);
    if (left === null) continue;
    // The best of many can fit by chance: each doubling of the number tried counts as one more unlikely decision.
    const fit = {
      ...describeFit(limiter, parameters),
      wrong: left.wrong,
      unlikely: left.unlikely + Math.log2(tried.length),
    };
    best = best === null ? fit : better(best, fit);
  }
  return best;
};

/** Minimum queued requests for a conclusion from delays. */
const minQueuedRequests = 3;

/**
 * The best limiter of each class, the best class first. A request that waited exactly as long as in a
 * queue counts as wrong for every class that decides at once.
 */
const explainDecisions = (
  log: readonly LimiterDecision[],
  context: ReplayContext,
): readonly ReplayedFit[] => {
  const histories = decisionHistoriesOf(log);
  const { waited, wrong } = queueDelays(log, context);
  const queued = waited < minQueuedRequests || wrong > waited / 2 ? null : { waited, wrong };
  const ranking = limiterClassNames.flatMap((name): ReplayedFit[] => {
    const fits = histories.flatMap((history) => bestOf(name, history, context) ?? []);
    if (fits.length === 0) return [];
    const fit = fits.reduce(better);
    if (name !== 'leaky-queue') {
      const unexplained = queued === null ? 0 : queued.waited - queued.wrong;
      return [{ ...fit, wrong: fit.wrong + unexplained }];
    }
    // A queue without delays explains nothing; a full queue can refuse any request.
    return queued === null ? [] : [{ ...fit, wrong: queued.wrong, unlikely: 0 }];
  });
  // A cap that explains no more than a limiter of rates only mimics it: serial requests hardly overlap.
  const isCap = ({ limiter }: ReplayedFit): number => Number(limiter === 'in-flight');
  return ranking.toSorted(
    (a, b) => a.wrong - b.wrong || isCap(a) - isCap(b) || a.unlikely - b.unlikely,
  );
};

/** Maximum share of wrong predictions of a limiter that is named, and how many times as many every other class must have. */
const tolerance = 0.005;
const minContrast = 10;

const exactly = (value: number): Fitted => ({ value, least: value, most: value });

const toFit = (
  { limiter, limit, wrong, unlikely, ...own }: ReplayedFit,
  window: number,
): LimiterFit => ({
  limiter,
  limit: exactly(limit),
  window: exactly(window),
  parameters: Object.fromEntries(
    Object.entries(own).flatMap(([name, value]) =>
      value === null ? [] : [[name, exactly(value)]],
    ),
  ),
  wrong,
  logLikelihood: -wrong - unlikely / 1000,
});

/** Identifies the limiter behind a log of decisions, best provoked by a probe. */
export const identifyLimiter = (
  log: readonly LimiterDecision[],
  { declared, minute }: { readonly declared: LimitRule; readonly minute: ReplayContext['minute'] },
): LimiterIdentification => {
  const found = explainDecisions(log, { ...declared, minute });
  const ranking = found.map((fit) => toFit(fit, declared.window));
  const [first = null, second = null] = ranking;
  const isQueue = first?.limiter === 'leaky-queue';
  const isSeen = log.some(({ admitted }) => !admitted) || isQueue;
  const isFit =
    first !== null &&
    first.wrong <= tolerance * log.length &&
    (second === null || second.wrong >= minContrast * first.wrong);
  const best = isSeen && isFit && (isQueue || !isDelayed(log, declared)) ? first : null;
  const runnerUp = best === null ? first : second;
  return {
    best,
    ties: best === null ? [] : ranking.filter((fit) => fit !== best && fit.wrong === best.wrong),
    runnerUp,
    decisions: log.length,
    errorRate: 0,
    ranking,
    distinguishing: [],
  };
};
