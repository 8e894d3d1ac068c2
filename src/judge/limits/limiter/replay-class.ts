import type { LimiterAction } from '../../../model/limits/limiter-fit.ts';
import type { LimiterClass, LimiterDecision } from '../../../model/limits/limit-log.ts';
import { lateAnswers } from './answer-delays.ts';
import {
  countBefore,
  decisionHistoriesOf,
  type DecisionHistory,
  middleOf,
} from './decision-history.ts';
import {
  closerCandidates,
  limiterCandidates,
  type LimiterParameters,
  type ReplayContext,
} from './limiter-candidates.ts';
import { type LimiterModel, limiters } from './limiter-models.ts';
import { type QueueDelays, queueDelays } from './queue-delays.ts';

/** A log prepared for the replay of every class. */
export interface ReplayEvidence {
  readonly log: readonly LimiterDecision[];
  readonly histories: readonly DecisionHistory[];
  readonly context: ReplayContext;
  /** `null` if the limiter does not delay like a queue. */
  readonly queued: QueueDelays | null;
  /** Requests that may have waited, as indexes in the log, and how long an answer usually takes, in ms. */
  readonly late: readonly number[];
  readonly usual: number;
}

export const replayEvidence = (
  log: readonly LimiterDecision[],
  context: ReplayContext,
): ReplayEvidence => {
  const { late, usual } = lateAnswers(log, context);
  return {
    log,
    histories: decisionHistoriesOf(log, context.besides),
    context,
    queued: queueDelays(log, context),
    late: late.map((decision) => log.indexOf(decision)),
    usual,
  };
};

/** The best limiter of a class. */
export interface ReplayedFit {
  readonly limiter: LimiterClass;
  readonly limit: number;
  /** The decisions that it contradicts, as indexes in the log, and what it predicts instead. */
  readonly contradicted: ReadonlyMap<number, LimiterAction>;
  /** Decisions that are right only at some moments of their intervals. */
  readonly unlikely: number;
  readonly phase: number | null;
  readonly burst: number | null;
  readonly steps: number | null;
}

/** How well one limiter explains a log. */
interface Replay {
  /** The decisions that it contradicts, as indexes in the log. */
  readonly wrong: readonly number[];
  readonly unlikely: number;
}

/** Replays a log; `null` if the limiter contradicts more than `most` decisions. */
const replay = (
  { decisions, indexes, priors, slack }: DecisionHistory,
  model: LimiterModel,
  most: number,
): Replay | null => {
  const wrong: number[] = [];
  let unlikely = 0;
  for (const [place, decision] of decisions.entries()) {
    const { sent, answered, admitted } = decision;
    const prior = priors[place]!;
    if (model(prior, middleOf(decision)) === admitted) continue;
    unlikely += 1;
    const moments = [sent - slack, sent, answered, answered + slack];
    if (moments.every((moment) => model(prior, moment) !== admitted)) wrong.push(indexes[place]!);
    if (wrong.length > most) return null;
  }
  return { wrong, unlikely };
};

/** The fewest decisions that one of these limiters contradicts; infinite if each contradicts more than `most`. */
export const fewestContradicted = (
  limiter: LimiterClass,
  history: DecisionHistory,
  candidates: readonly LimiterParameters[],
  most: number,
): number => {
  let fewest = Infinity;
  for (const parameters of candidates) {
    const model = limiters[limiter].model(history, parameters);
    const found = replay(history, model, Math.min(most, fewest - 1));
    if (found !== null) fewest = found.wrong.length;
    if (fewest === 0) break;
  }
  return fewest;
};

/** So many requests that waited cannot be by chance. */
const minWaited = 3;

/** The late requests that a limiter would have refused when they arrived: it must have made them wait, as no class does that decides at once. */
const waitedFor = (
  { log, late, usual }: ReplayEvidence,
  { middles }: DecisionHistory,
  model: LimiterModel,
): readonly number[] => {
  const waited = late.filter((index) => {
    const moment = log[index]!.sent + usual;
    const prior = { admitted: countBefore(middles, moment), refusedSince: () => 0 };
    return !model(prior, log[index]!.sent) && !model(prior, moment);
  });
  return waited.length < minWaited ? [] : waited;
};

/** The best limiter of a class, and the view of the log that it explains. */
interface BestReplay extends Replay {
  readonly parameters: LimiterParameters;
  readonly history: DecisionHistory;
}

/** The best of some limiters of a class and of what was the best before, by what is right whenever it was decided. */
const bestAmong = (
  limiter: LimiterClass,
  history: DecisionHistory,
  tried: readonly LimiterParameters[],
  before: BestReplay | null,
): BestReplay | null => {
  // The best of many can fit by chance: each doubling of the number tried counts as one more unlikely decision.
  const chance = Math.log2(tried.length);
  let best = before;
  for (const parameters of tried) {
    const model = limiters[limiter].model(history, parameters);
    const found = replay(history, model, best?.wrong.length ?? Infinity);
    if (found === null) continue;
    const unlikely = found.unlikely + chance;
    const isBetter =
      best === null || found.wrong.length < best.wrong.length || unlikely < best.unlikely;
    if (isBetter) best = { wrong: found.wrong, unlikely, parameters, history };
  }
  return best;
};

/** The best limiter of a class over all views of the log. */
const bestReplay = (
  limiter: LimiterClass,
  { histories, context }: ReplayEvidence,
): BestReplay | null => {
  // A request that had waited for its decision would not have been in flight.
  const views = limiter === 'in-flight' ? histories.slice(0, context.besides.length) : histories;
  const best = views.reduce<BestReplay | null>(
    (before, history) =>
      bestAmong(limiter, history, limiterCandidates(limiter, history, context), before),
    null,
  );
  if (best === null || best.wrong.length === 0) return best;
  const closer = closerCandidates(limiter, best.parameters, context);
  return bestAmong(limiter, best.history, closer, best);
};

const bestOf = (limiter: LimiterClass, evidence: ReplayEvidence): ReplayedFit | null => {
  const { log } = evidence;
  const best = bestReplay(limiter, evidence);
  if (best === null) return null;
  const { unlikely, parameters, history } = best;
  const waited = waitedFor(evidence, history, limiters[limiter].model(history, parameters));
  const wrong = [...new Set([...best.wrong, ...waited])];
  const own = (name: 'phase' | 'burst' | 'steps'): number | null =>
    limiters[limiter].named?.includes(name) === true ? parameters[name] : null;
  return {
    limiter,
    limit: parameters.limit,
    contradicted: new Map(
      wrong.map((index) => [index, log[index]!.admitted ? 'refused' : 'admitted']),
    ),
    unlikely,
    phase: own('phase'),
    burst: own('burst'),
    steps: own('steps'),
  };
};

/**
 * The best limiter of a class. A request that waited exactly as long as in a queue contradicts every class
 * that decides at once. `null` if the class has no limiter that fits at all.
 */
export const replayClass = (name: LimiterClass, evidence: ReplayEvidence): ReplayedFit | null => {
  const { queued } = evidence;
  const fit = bestOf(name, evidence);
  if (fit === null) return null;
  if (queued === null) {
    // A queue without delays explains nothing.
    return name === 'leaky-queue' ? null : fit;
  }
  if (name === 'leaky-queue') {
    // A full queue can refuse any request.
    const contradicted = new Map(queued.contradicted.map((index) => [index, 'delayed'] as const));
    return { ...fit, contradicted, unlikely: 0 };
  }
  const atOnce = queued.explained.map((index) => [index, 'admitted'] as const);
  return { ...fit, contradicted: new Map([...atOnce, ...fit.contradicted]) };
};

/** What the limiter did with a request of the log. */
export const actionAt = ({ log, queued }: ReplayEvidence, index: number): LimiterAction => {
  if (!log[index]!.admitted) return 'refused';
  return queued?.explained.includes(index) === true ? 'delayed' : 'admitted';
};
