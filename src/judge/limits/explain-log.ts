import { type Decision, type LimiterClass, limiterClassNames } from '../../model/limit-log.ts';
import type { LimiterFit } from '../../model/limit-report.ts';
import { candidates, type Knowledge } from './candidates.ts';
import { type History, historiesOf, middleOf, type Vantage, vantageOf } from './history.ts';
import { limiterModels, type Model, type Parameters } from './limiter-models.ts';
import { queueDelays } from './queue-delays.ts';

/** A history with what each of its decisions saw, which is the same for every limiter tried. */
interface Replayed {
  readonly history: History;
  readonly seen: readonly { readonly decision: Decision; readonly vantage: Vantage }[];
}

const replayed = (history: History): Replayed => ({
  history,
  seen: history.decisions.map((decision) => ({ decision, vantage: vantageOf(history, decision) })),
});

/** What a limiter leaves unexplained; `null` once it is wrong more often than `most`. */
const replay = (
  { history, seen }: Replayed,
  model: Model,
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

const bestOf = (limiter: LimiterClass, over: Replayed, known: Knowledge): LimiterFit | null => {
  const tried = candidates(limiter, over.history, known);
  let best: LimiterFit | null = null;
  for (const parameters of tried) {
    const model = limiterModels[limiter](over.history, parameters);
    const left = replay(over, model, best?.wrong ?? Infinity);
    if (left === null) continue;
    // The best of many fits by luck: each doubling of the limiters tried weighs like one more unlikely decision.
    const fit = {
      ...told(limiter, parameters),
      ...{ wrong: left.wrong, unlikely: left.unlikely + Math.log2(tried.length) },
    };
    best = best === null ? fit : better(best, fit);
  }
  return best;
};

/** Below this many kept waiting, delays tell nothing. */
const fewestWaits = 3;

/**
 * Of each class the limiter that explains the log best, the best class first. A request that a queue
 * kept waiting exactly as long as it should is held against every class that decides at once.
 */
export const explainLog = (log: readonly Decision[], known: Knowledge): readonly LimiterFit[] => {
  const histories = historiesOf(log).map(replayed);
  const { waited, wrong } = queueDelays(log, known);
  const queued = waited < fewestWaits || wrong > waited / 2 ? null : { waited, wrong };
  return limiterClassNames
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
