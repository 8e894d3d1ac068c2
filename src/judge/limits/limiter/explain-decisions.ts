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

/** A history with what each of its decisions saw, which is the same for every limiter tried. */
interface ReplayedHistory {
  readonly history: DecisionHistory;
  readonly seen: readonly {
    readonly decision: LimiterDecision;
    readonly vantage: PriorDecisions;
  }[];
}

const replayed = (history: DecisionHistory): ReplayedHistory => ({
  history,
  seen: history.decisions.map((decision) => ({
    decision,
    vantage: priorDecisionsOf(history, decision),
  })),
});

/** What a limiter leaves unexplained; `null` once it is wrong more often than `most`. */
const replay = (
  { history, seen }: ReplayedHistory,
  model: LimiterModel,
  most: number,
): Pick<LimiterFit, 'wrong' | 'unlikely'> | null => {
  let wrong = 0;
  let unlikely = 0;
  for (const { decision, vantage } of seen) {
    const { sent, answered, admitted } = decision;
    if (model(vantage, middleOf(decision)) === admitted) continue;
    unlikely += 1;
    const moments = [sent - history.slack, sent, answered, answered + history.slack];
    if (moments.every((moment) => model(vantage, moment) !== admitted)) wrong += 1;
    if (wrong > most) return null;
  }
  return { wrong, unlikely };
};

const better = (a: LimiterFit, b: LimiterFit): LimiterFit =>
  b.wrong < a.wrong || (b.wrong === a.wrong && b.unlikely < a.unlikely) ? b : a;

/** Which parameters mean something in each class, beside the limit. */
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
    // The best of many fits by luck: each doubling of the limiters tried weighs like one more unlikely decision.
    const fit = {
      ...describeFit(limiter, parameters),
      wrong: left.wrong,
      unlikely: left.unlikely + Math.log2(tried.length),
    };
    best = best === null ? fit : better(best, fit);
  }
  return best;
};

/** Below this many kept waiting, delays tell nothing. */
const minQueuedRequests = 3;

/**
 * Of each class the limiter that explains the log best, the best class first. A request that a queue
 * kept waiting exactly as long as it should is held against every class that decides at once.
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
      // A queue that nobody waited in explains nothing; full, it may refuse whatever else comes.
      return queued === null ? [] : [{ ...explanation, wrong: queued.wrong, unlikely: 0 }];
    })
    .toSorted((a, b) => a.wrong - b.wrong || a.unlikely - b.unlikely);
};
