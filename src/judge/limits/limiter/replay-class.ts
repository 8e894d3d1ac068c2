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
  histories: decisionHistoriesOf(log, context.besides),
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

/** The best limiter of a class over all views of the log, by what is right whenever it was decided. */
const bestOf = (
  limiter: LimiterClass,
  { log, histories, context }: ReplayEvidence,
): ReplayedFit | null => {
  let best: (Replay & { readonly parameters: LimiterParameters }) | null = null;
  for (const history of histories) {
    const tried = limiterCandidates(limiter, history, context);
    // The best of many can fit by chance: each doubling of the number tried counts as one more unlikely decision.
    const chance = Math.log2(tried.length);
    for (const parameters of tried) {
      const model = limiters[limiter].model(history, parameters);
      const found = replay(history, model, best?.wrong.length ?? Infinity);
      if (found === null) continue;
      const unlikely = found.unlikely + chance;
      const isBetter =
        best === null || found.wrong.length < best.wrong.length || unlikely < best.unlikely;
      if (isBetter) best = { wrong: found.wrong, unlikely, parameters };
    }
  }
  if (best === null) return null;
  const { wrong, unlikely, parameters } = best;
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
