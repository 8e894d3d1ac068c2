import { type Decision, type LimiterClass, limiterClasses } from '../../model/limit-log.ts';
import { candidates, type Knowledge } from './candidates.ts';
import { type History, historyOf, middleOf, vantageOf } from './history.ts';
import { limiterModels, type Model, type Parameters } from './limiter-models.ts';
import { queueDelays } from './queue-delays.ts';

/** How well one limiter explains a log. */
export interface Explanation {
  readonly limiter: LimiterClass;
  readonly parameters: Parameters;
  /** Decisions that this limiter cannot have made at any moment that is possible. */
  readonly wrong: number;
  /**
   * Breaks ties: decisions that it would not have made at the middle of their interval, and for each
   * doubling of the limiters tried within its class one more, since the best of many fits by luck.
   */
  readonly unlikely: number;
}

const replay = (history: History, model: Model): Pick<Explanation, 'wrong' | 'unlikely'> => {
  let wrong = 0;
  let unlikely = 0;
  for (const decision of history.decisions) {
    const { sent, answered, admitted } = decision;
    const vantage = vantageOf(history, decision);
    if (model(vantage, middleOf(decision)) === admitted) continue;
    unlikely += 1;
    const moments = [sent - history.slack, sent, answered, answered + history.slack];
    if (moments.every((moment) => model(vantage, moment) !== admitted)) wrong += 1;
  }
  return { wrong, unlikely };
};

const better = (a: Explanation, b: Explanation): Explanation =>
  b.wrong < a.wrong || (b.wrong === a.wrong && b.unlikely < a.unlikely) ? b : a;

const bestOf = (limiter: LimiterClass, history: History, known: Knowledge): Explanation | null => {
  const tried = candidates(limiter, history, known);
  return tried
    .map((parameters) => {
      const { wrong, unlikely } = replay(history, limiterModels[limiter](history, parameters));
      return { limiter, parameters, wrong, unlikely: unlikely + Math.log2(tried.length) };
    })
    .reduce<Explanation | null>((best, next) => (best === null ? next : better(best, next)), null);
};

/** Below this many kept waiting, delays tell nothing. */
const fewestWaits = 3;

/**
 * Of each class the limiter that explains the log best, the best class first. A request that a queue
 * kept waiting exactly as long as it should is held against every class that decides at once.
 */
export const explainLog = (log: readonly Decision[], known: Knowledge): readonly Explanation[] => {
  const history = historyOf(log);
  const { waited, wrong } = queueDelays(log, known);
  const queued = waited < fewestWaits || wrong > waited / 2 ? null : { waited, wrong };
  const names = Object.keys(limiterClasses) as readonly LimiterClass[];
  return names
    .flatMap((name) => bestOf(name, history, known) ?? [])
    .flatMap((explanation): Explanation[] => {
      if (explanation.limiter !== 'leaky-queue') {
        const unexplained = queued === null ? 0 : queued.waited - queued.wrong;
        return [{ ...explanation, wrong: explanation.wrong + unexplained }];
      }
      // A queue that nobody waited in explains nothing; full, it may refuse whatever else comes.
      return queued === null ? [] : [{ ...explanation, wrong: queued.wrong, unlikely: 0 }];
    })
    .toSorted((a, b) => a.wrong - b.wrong || a.unlikely - b.unlikely);
};
