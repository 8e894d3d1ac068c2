import type { LimiterAction } from '../../../model/limits/limiter-fit.ts';
import type { LimiterClass, LimiterDecision } from '../../../model/limits/limit-log.ts';
import { decisionHistoriesOf, type DecisionHistory } from './decision-history.ts';
import {
  closerCandidates,
  limiterCandidates,
  type LimiterParameters,
  type ReplayContext,
} from './limiter-candidates.ts';
import { type LimiterModel, limiters, PhaseContradictions } from './limiter-models.ts';
import { type QueueDelays, queueDelays } from './queue-pace.ts';

export interface ReplayEvidence {
  readonly log: readonly LimiterDecision[];
  readonly histories: readonly DecisionHistory[];
  readonly context: ReplayContext;
  /** The delays of a queue; `null` if the limiter does not delay. */
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

/** The limiter of a class that contradicts the fewest decisions. Parameters that the class does not have are `null`. */
export interface ReplayedFit {
  readonly limiter: LimiterClass;
  readonly limit: number;
  /** The decisions that this limiter contradicts: maps their index in the log to what the limiter predicts. */
  readonly contradicted: ReadonlyMap<number, LimiterAction>;
  /**
   * How many decisions the limiter contradicts under the assumption that each decision was made in the middle between
   * sending and answer. Each doubling of the number of tried limiters adds one.
   */
  readonly unlikely: number;
  readonly phase: number | null;
  readonly burst: number | null;
  readonly steps: number | null;
}

interface Replay {
  /** The contradicted decisions, as indexes in the log: the limiter predicts the opposite at every tried moment. */
  readonly wrong: readonly number[];
  readonly unlikely: number;
}

const replayOrder = ({ decisions }: DecisionHistory): Uint32Array =>
  Uint32Array.from(decisions.keys());

/** Replays the decisions in a given order. Returns `null` if the limiter contradicts more than `most` decisions. */
const replay = (
  { decisions, indexes, priors, slack }: DecisionHistory,
  model: LimiterModel,
  most: number,
  order: Uint32Array,
): Replay | null => {
  const wrong: number[] = [];
  let unlikely = 0;
  for (let turn = 0; turn < order.length; turn += 1) {
    const place = order[turn]!;
    const { sent, answered, admitted } = decisions[place]!;
    const prior = priors[place]!;
    const isRightAt = (moment: number): boolean => model(prior, moment) === admitted;
    if (isRightAt((sent + answered) / 2)) continue;
    unlikely += 1;
    if ([sent - slack, answered + slack, sent, answered].some(isRightAt)) continue;
    wrong.push(indexes[place]!);
    // Moves the contradicted decision forward in the order. The next limiter probably contradicts this decision, too,
    // and is then rejected sooner. The numbers of contradictions stay the same.
    const earlier = turn >>> 1;
    [order[turn], order[earlier]] = [order[earlier]!, place];
    if (wrong.length > most) return null;
  }
  return { wrong: wrong.sort((a, b) => a - b), unlikely };
};

export class ContradictionCount {
  readonly #limiter: LimiterClass;
  readonly #history: DecisionHistory;
  readonly #order: Uint32Array;
  readonly #phases: PhaseContradictions | null;

  constructor(limiter: LimiterClass, history: DecisionHistory) {
    this.#limiter = limiter;
    this.#history = history;
    this.#order = replayOrder(history);
    this.#phases = limiter === 'fixed-any-phase' ? new PhaseContradictions(history) : null;
  }

  /**
   * Returns how many decisions the best limiter of `candidates` contradicts; infinity if each limiter contradicts more
   * than `most`.
   */
  fewest(candidates: readonly LimiterParameters[], most: number): number {
    if (this.#phases !== null) {
      const fewest = this.#phases.fewest(candidates);
      return fewest > most ? Infinity : fewest;
    }
    let fewest = Infinity;
    for (const parameters of candidates) {
      const found = this.#replay(parameters, Math.min(most, fewest - 1));
      if (found !== null) fewest = found.wrong.length;
      if (fewest === 0) break;
    }
    return fewest;
  }

  isAtMost(candidates: readonly LimiterParameters[], most: number): boolean {
    return this.#phases === null
      ? candidates.some((parameters) => this.#replay(parameters, most) !== null)
      : this.#phases.fewest(candidates) <= most;
  }

  #replay(parameters: LimiterParameters, most: number): Replay | null {
    const model = limiters[this.#limiter].model(this.#history, parameters);
    return replay(this.#history, model, most, this.#order);
  }
}

interface BestReplay extends Replay {
  readonly parameters: LimiterParameters;
  readonly history: DecisionHistory;
}

/**
 * Returns the limiter with the fewest contradictions among `tried` and `before`. If several limiters have the fewest
 * contradictions, returns the limiter with the fewest unlikely decisions.
 */
const bestAmong = (
  limiter: LimiterClass,
  history: DecisionHistory,
  tried: readonly LimiterParameters[],
  before: BestReplay | null,
): BestReplay | null => {
  // The best of many limiters can fit by chance. So each doubling of the number of limiters adds one unlikely decision.
  const chance = Math.log2(tried.length);
  const order = replayOrder(history);
  let best = before;
  for (const parameters of tried) {
    const model = limiters[limiter].model(history, parameters);
    const found = replay(history, model, best?.wrong.length ?? Infinity, order);
    if (found === null) continue;
    const unlikely = found.unlikely + chance;
    const isBetter =
      best === null || found.wrong.length < best.wrong.length || unlikely < best.unlikely;
    if (isBetter) best = { wrong: found.wrong, unlikely, parameters, history };
  }
  return best;
};

const closerLooks = 2;

const bestReplay = (
  limiter: LimiterClass,
  { histories, context }: ReplayEvidence,
): BestReplay | null => {
  // A cap on requests in flight does not depend on the clock. So the replay uses only the histories in which no request
  // waited, with a slack of 0.
  const views =
    limiter === 'in-flight'
      ? histories.slice(0, context.besides.length).map((history) => ({ ...history, slack: 0 }))
      : histories;
  let best = views.reduce<BestReplay | null>(
    (before, history) =>
      bestAmong(limiter, history, limiterCandidates(limiter, history, context), before),
    null,
  );
  for (let look = 1; look <= closerLooks && best !== null && best.wrong.length > 0; look += 1) {
    const closer = closerCandidates(limiter, best.parameters, context, look);
    best = bestAmong(limiter, best.history, closer, best);
  }
  return best;
};

const bestOf = (limiter: LimiterClass, evidence: ReplayEvidence): ReplayedFit | null => {
  const { log } = evidence;
  const best = bestReplay(limiter, evidence);
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
 * Finds the best limiter of a class; `null` if no limiter fits. A request that waited contradicts every class except
 * queues.
 */
export const replayClass = (name: LimiterClass, evidence: ReplayEvidence): ReplayedFit | null => {
  const { queued } = evidence;
  const fit = bestOf(name, evidence);
  if (fit === null) return null;
  if (queued === null) {
    // If no answer was delayed, the log does not show a queue.
    return name === 'leaky-queue' ? null : fit;
  }
  if (name === 'leaky-queue') {
    // A queue may be full at any request, so no refusal contradicts a queue. Only an answer at a wrong time contradicts
    // a queue.
    const contradicted = new Map(queued.contradicted.map((index) => [index, 'delayed'] as const));
    return { ...fit, contradicted, unlikely: 0 };
  }
  const atOnce = queued.waited.map((index) => [index, 'admitted'] as const);
  return { ...fit, contradicted: new Map([...atOnce, ...fit.contradicted]) };
};

export const actionAt = ({ log, queued }: ReplayEvidence, index: number): LimiterAction => {
  if (!log[index]!.admitted) return 'refused';
  return queued?.waited.includes(index) === true ? 'delayed' : 'admitted';
};
