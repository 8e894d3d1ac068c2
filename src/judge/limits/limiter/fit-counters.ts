import type { LimitRule } from '../../../model/limits/limit-log.ts';
import type { LimiterFit } from '../../../model/limits/limiter-fit.ts';
import { milliseconds } from '../../../model/quantity.ts';
import type { DecisionHistory } from './decision-history.ts';
import { fewestFirst, likelyLimits, limitInterval, type Place, type Score } from './fit-limits.ts';
import { type CounterGrid, counterContradictions } from './counter-contradictions.ts';
import { counterCandidates, counterGrids, type ReplayContext } from './limiter-candidates.ts';
import { ContradictionCount, type ReplayEvidence } from './replay-class.ts';
import type { OffsetBounds } from './server-window.ts';

/** The windows that are tried, as shares of the declared one: fewer if every phase has to be tried. How many at most in the length of that. */
const windowShares = { ofClock: [0.5, 2], anyPhase: [0.8, 1.25] } as const;
const mostInWindow = 60;
const second = 1000;

/** The limits that are tried with the declared window, as shares of the declared one, and how many at most: an idle window does not show what a counter of two holds. */
const lowest = 0.7;
const highest = 1.3;
const mostLimits = 40;

/** How many places are looked at more closely, with so many times the phases, and with a few requests more and less. */
const looked = 3;
const finer = 3;

/** Limits above this multiple of the largest one that is tried are not asked for. */
const largestMultiple = 2;

/** The fewest decisions of a log that a counter on the grids of a window contradicts, for each limit. */
const fewestByLimit = (
  histories: readonly DecisionHistory[],
  grids: readonly CounterGrid[],
  largest: number,
): Int32Array => {
  const fewest = new Int32Array(largest + 1).fill(2 ** 31 - 1);
  for (const history of histories) {
    for (const grid of grids) {
      const { some, whole } = counterContradictions(history, grid, largest);
      for (let limit = 0; limit <= largest; limit += 1)
        fewest[limit] = Math.min(fewest[limit]!, some[limit]!, whole[limit]!);
    }
  }
  return fewest;
};

const scoreOf = (
  clock: OffsetBounds | null,
  histories: readonly DecisionHistory[],
  largest: number,
  times: number,
): Score => {
  const known = new Map<number, Int32Array>();
  return (limit, window) => {
    const found =
      known.get(window) ?? fewestByLimit(histories, counterGrids(clock, window, times), largest);
    known.set(window, found);
    return found[limit] ?? Infinity;
  };
};

const windowsToTry = ({ window, clock }: ReplayContext): readonly number[] => {
  const [shortest, longest] = windowShares[clock === null ? 'anyPhase' : 'ofClock'];
  const step = second * Math.ceil(window / mostInWindow / second);
  const windows: number[] = [];
  for (
    let tried = Math.ceil((shortest * window) / step) * step;
    tried <= longest * window;
    tried += step
  )
    windows.push(tried);
  return windows;
};

const limitStep = ({ limit }: LimitRule): number =>
  Math.max(1, Math.round(((highest - lowest) * limit) / mostLimits));

/** Each limit and window to try: likely limits with all windows, all limits with the declared window. */
const placesToTry = (
  likely: readonly number[],
  rule: ReplayContext,
): readonly (readonly [limit: number, window: number])[] => {
  const limits: number[] = [];
  const step = limitStep(rule);
  for (let limit = Math.ceil(lowest * rule.limit); limit <= highest * rule.limit; limit += step)
    limits.push(limit);
  return [
    ...limits.map((limit) => [limit, rule.window] as const),
    ...likely.flatMap((limit) => windowsToTry(rule).map((window) => [limit, window] as const)),
  ];
};

/** Limits close to one, the closest first. */
const nearby = (limit: number, rule: LimitRule): readonly number[] => {
  const most = Math.max(2, limitStep(rule));
  return Array.from({ length: 2 * most + 1 }, (_, i) => limit + (i % 2 === 0 ? i : -i - 1) / 2);
};

/**
 * The weighted counter of another limit or window that contradicts the fewest decisions of a log, if no more than
 * `mostWrong`. Counters of the server's clock are tried or, if that is unknown, of any phase; and only windows of whole
 * seconds, since the phase of a window that differs by a millisecond is another one.
 */
export const fitCounters = (
  { histories, context }: ReplayEvidence,
  mostWrong: number,
): readonly LimiterFit[] => {
  const promptHistories = histories.slice(0, context.besides.length);
  const limits = likelyLimits(promptHistories, context);
  const largest = largestMultiple * Math.ceil(Math.max(highest * context.limit, ...limits) + 2);
  const coarse = scoreOf(context.clock, promptHistories, largest, 1);
  const score = scoreOf(context.clock, histories, largest, finer);
  const look = (by: Score, limit: number, window: number): Place => ({
    limit,
    window,
    wrong: by(limit, window, Infinity),
  });
  const places = placesToTry(limits, context).map(([limit, window]) => look(coarse, limit, window));
  const closer = places
    .toSorted(fewestFirst)
    .slice(0, looked)
    .flatMap(({ limit, window }) =>
      nearby(limit, context).map((near) => look(score, near, window)),
    );
  const best = closer.toSorted(fewestFirst)[0];
  if (best === undefined || best.wrong > mostWrong) return [];
  const { limit, window, wrong } = best;
  const counts = histories.map((each) => new ContradictionCount('sliding-counter', each));
  const explaining = windowsToTry(context).filter((each) => {
    const tried = counterCandidates(context.clock, { limit, window: milliseconds(each) }, finer);
    return counts.some((count) => count.fewest(tried, wrong) <= wrong);
  });
  return [
    {
      limiter: 'sliding-counter',
      limit: limitInterval(score, best),
      window: { value: window, least: Math.min(...explaining), most: Math.max(...explaining) },
      parameters: {},
      wrong,
    },
  ];
};
