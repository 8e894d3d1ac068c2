import {
  type LimiterDecision,
  type LimiterClass,
  limiterClassNames,
} from '../../../model/limits/limit-log.ts';
import type { LimiterFit } from '../../../model/limits/limit-report.ts';
import { limiterCandidates, type ReplayContext } from './limiter-candidates.ts';
import {
  type DecisionHistory,
  decisionHistoriesOf,
  middleOf,
  type PriorDecisions,
  priorDecisionsOf,
} from './decision-history.ts';
import { limiterModels, type LimiterModel, type LimiterParameters } from './limiter-models.ts';
import { queueDelays } from './queue-delays.ts';

/** A history with the prior decisions of each decision, which are the same for every limiter. */
interface ReplayedHistory {
  readonly history: DecisionHistory;
  readonly seen: readonly {
    readonly decision: LimiterDecision;
    readonly prior: PriorDecisions;
  }[];
}

const replayed = (history: DecisionHistory): ReplayedHistory => ({
  history,
  seen: history.decisions.map((decision) => ({
    decision,
    prior: priorDecisionsOf(history, decision),
  })),
});

/** What a limiter does not explain; `null` once it is wrong more often than `most`. */
const replay = (
  { history, seen }: ReplayedHistory,
  model: LimiterModel,
  most: number,
): Pick<LimiterFit, 'wrong' | 'unlikely'> | null => {
  let wrong = 0;
  let unlikely = 0;
  for (const { decision, prior } of seen) {
    const { sent, answered, admitted } = decision;
    if (model(prior, middleOf(decision)) === admitted) continue;
    unlikely += 1;
    const moments = [sent - history.slack, sent, answered, answered + history.slack];
    if (moments.every((moment) => model(prior, moment) !== admitted)) wrong += 1;
    if (wrong > most) return null;
  }
  return { wrong, unlikely };
};

const better = (a: LimiterFit, b: LimiterFit): LimiterFit =>
  b.wrong < a.wrong || (b.wrong === a.wrong && b.unlikely < a.unlikely) ? b : a;

/** The parameters of each class in addition to the limit. */
const meaningfulParameters: Partial<
  Record<LimiterClass, readonly ('phase' | 'burst' | 'steps')[]>
> = {
  'fixed-aligned': ['phase'],
  'sliding-counter': ['phase'],
  'burst-bucket': ['burst'],
  'stepped-bucket': ['steps', 'phase'],
};

const describeFit = (limiter: LimiterClass, parameters: LimiterParameters) => {
  const own = (name: 'phase' | 'burst' | 'steps'): number | null =>
    meaningfulParameters[limiter]?.includes(name) === true ? parameters[name] : null;
  return {
    limiter,
    limit: parameters.limit,
    phase: own('phase'),
    burst: own('burst'),
    steps: own('steps'),
  };
};

const bestOf = (
  limiter: LimiterClass,
  over: ReplayedHistory,
  context: ReplayContext,
): LimiterFit | null => {
  const tried = limiterCandidates(limiter, over.history, context);
  let best: LimiterFit | null = null;
  for (const parameters of tried) {
    const model = limiterModels[limiter](over.history, parameters);
    const left = replay(over, model, best?.wrong ?? Infinity);
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
export const explainDecisions = (
  log: readonly LimiterDecision[],
  context: ReplayContext,
): readonly LimiterFit[] => {
  const histories = decisionHistoriesOf(log).map(replayed);
  const { waited, wrong } = queueDelays(log, context);
  const queued = waited < minQueuedRequests || wrong > waited / 2 ? null : { waited, wrong };
  return limiterClassNames
    .flatMap((name) => {
      const fits = histories.flatMap((history) => bestOf(name, history, context) ?? []);
      return fits.length === 0 ? [] : fits.reduce(better);
    })
    .flatMap((explanation): LimiterFit[] => {
      if (explanation.limiter !== 'leaky-queue') {
        const unexplained = queued === null ? 0 : queued.waited - queued.wrong;
        return [{ ...explanation, wrong: explanation.wrong + unexplained }];
      }
      // A queue without delays explains nothing; a full queue can refuse any request.
      return queued === null ? [] : [{ ...explanation, wrong: queued.wrong, unlikely: 0 }];
    })
    .toSorted((a, b) => a.wrong - b.wrong || a.unlikely - b.unlikely);
};
