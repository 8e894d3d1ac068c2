import { type Decision, type LimiterClass, limiterClasses } from '../../model/limit-log.ts';
import type { LimiterFit } from '../../model/limit-report.ts';
import { candidates, type Knowledge } from './candidates.ts';
import { type History, historiesOf, middleOf, vantageOf } from './history.ts';
import { limiterModels, type Model, type Parameters } from './limiter-models.ts';
import { queueDelays } from './queue-delays.ts';

const replay = (history: History, model: Model): Pick<LimiterFit, 'wrong' | 'unlikely'> => {
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

const better = (a: LimiterFit, b: LimiterFit): LimiterFit =>
  b.wrong < a.wrong || (b.wrong === a.wrong && b.unlikely < a.unlikely) ? b : a;

/** Which parameters mean something in each class, beside the limit. */
const meaningful: Partial<Record<LimiterClass, readonly ('phase' | 'burst' | 'steps')[]>> = {
  'fixed-aligned': ['phase'],
  'sliding-counter': ['phase'],
  'burst-bucket': ['burst'],
  'stepped-bucket': ['steps', 'phase'],
};

const told = (limiter: LimiterClass, parameters: Parameters) => {
  const own = (name: 'phase' | 'burst' | 'steps'): number | null =>
    meaningful[limiter]?.includes(name) === true ? parameters[name] : null;
  return {
    limiter,
    limit: parameters.limit,
    ...{ phase: own('phase'), burst: own('burst'), steps: own('steps') },
  };
};

const bestOf = (limiter: LimiterClass, history: History, known: Knowledge): LimiterFit | null => {
  const tried = candidates(limiter, history, known);
  return tried
    .map((parameters) => {
      const { wrong, unlikely } = replay(history, limiterModels[limiter](history, parameters));
      // The best of many fits by luck: each doubling of the limiters tried weighs like one more unlikely decision.
      return {
        ...told(limiter, parameters),
        ...{ wrong, unlikely: unlikely + Math.log2(tried.length) },
      };
    })
    .reduce<LimiterFit | null>((best, next) => (best === null ? next : better(best, next)), null);
};

/** Below this many kept waiting, delays tell nothing. */
const fewestWaits = 3;

/**
 * Of each class the limiter that explains the log best, the best class first. A request that a queue
 * kept waiting exactly as long as it should is held against every class that decides at once.
 */
export const explainLog = (log: readonly Decision[], known: Knowledge): readonly LimiterFit[] => {
  const histories = historiesOf(log);
  const { waited, wrong } = queueDelays(log, known);
  const queued = waited < fewestWaits || wrong > waited / 2 ? null : { waited, wrong };
  const names = Object.keys(limiterClasses) as readonly LimiterClass[];
  return names
    .flatMap((name) => {
      const fits = histories.flatMap((history) => bestOf(name, history, known) ?? []);
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
