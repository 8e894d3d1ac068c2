import type { LimiterAction } from '../../../model/limits/limiter-fit.ts';
import type { LimiterClass, LimiterDecision } from '../../../model/limits/limit-log.ts';
import { decisionHistoriesOf, type DecisionHistory, middleOf } from './decision-history.ts';
import {
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
}

export const replayEvidence = (
  log: readonly LimiterDecision[],
  context: ReplayContext,
): ReplayEvidence => ({
  log,
  histories: decisionHistoriesOf(log, context.earlier),
  context,
  queued: queueDelays(log, context),
});

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

/** The decisions that a limiter contradicts, as indexes in the log; `null` if they are more than `most`. */
const replay = (
  { decisions, indexes, priors, slack }: DecisionHistory,
  model: LimiterModel,
  most: number,
): { readonly wrong: readonly number[]; readonly unlikely: number } | null => {
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

const better = (a: ReplayedFit, b: ReplayedFit): ReplayedFit => {
  const fewer = b.contradicted.size - a.contradicted.size;
  return fewer < 0 || (fewer === 0 && b.unlikely < a.unlikely) ? b : a;
};

const describeFit = (limiter: LimiterClass, parameters: LimiterParameters) => {
  const { limit } = parameters;
  const own = (name: 'phase' | 'burst' | 'steps'): number | null =>
    limiters[limiter].named?.includes(name) === true ? parameters[name] : null;
  return { limiter, limit, phase: own('phase'), burst: own('burst'), steps: own('steps') };
};

const bestOf = (
  limiter: LimiterClass,
  history: DecisionHistory,
  { log, context }: ReplayEvidence,
): ReplayedFit | null => {
  const tried = limiterCandidates(limiter, history, context);
  let best: ReplayedFit | null = null;
  for (const parameters of tried) {
    const model = limiters[limiter].model(history, parameters);
    const left = replay(history, model, best?.contradicted.size ?? Infinity);
    if (left === null) continue;
    // The best of many can fit by chance: each doubling of the number tried counts as one more unlikely decision.
    const fit: ReplayedFit = {
      ...describeFit(limiter, parameters),
      contradicted: new Map(
        left.wrong.map((index) => [index, log[index]!.admitted ? 'refused' : 'admitted']),
      ),
      unlikely: left.unlikely + Math.log2(tried.length),
    };
    best = best === null ? fit : better(best, fit);
  }
  return best;
};

/**
 * The best limiter of a class. A request that waited exactly as long as in a queue contradicts every class
 * that decides at once. `null` if the class has no limiter that fits at all.
 */
export const replayClass = (name: LimiterClass, evidence: ReplayEvidence): ReplayedFit | null => {
  const { histories, queued } = evidence;
  const fits = histories.flatMap((history) => bestOf(name, history, evidence) ?? []);
  if (fits.length === 0) return null;
  const fit = fits.reduce(better);
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
