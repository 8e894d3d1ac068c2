import type { LimitRule } from '../../../../model/limits/limit-log.ts';
import type { LimiterFit } from '../../../../model/limits/limiter-fit.ts';
import {
  type DecisionHistory,
  sampleOf,
} from '../../../../judge/limits/limiter/decision-history.ts';
import { fewestFirst, likelyLimits, limitInterval, type Place } from './fit-limits.ts';
import type { Explains, Score } from './class-search.ts';
import { CounterContradictions, type CounterGrid } from './counter-contradictions.ts';
import {
  counterGrids,
  phaseParts,
  phasesAround,
  type ReplayContext,
} from '../../../../judge/limits/limiter/limiter-candidates.ts';
import type { ReplayEvidence } from '../../../../judge/limits/limiter/replay-class.ts';
import type { OffsetBounds } from '../../../../judge/limits/limiter/server-window.ts';

/** The windows that are tried, as shares of the declared one: fewer if every phase has to be tried. How many at most in the length of that. */
const windowShares = { ofClock: [0.5, 2], anyPhase: [0.75, 1.6] } as const;
const mostInWindow = 60;
const second = 1000;

/** The limits that are tried with the declared window, as shares of the declared one, and how many at most: an idle window does not show what a counter of two holds. */
const lowest = 0.7;
const highest = 1.3;
const mostLimits = 40;

/** How many places are looked at more closely, with so many times the phases, and with a few requests more and less. */
const looked = 6;
const finer = 3;

/** Limits above this multiple of the largest one that is tried are not asked for. */
const largestMultiple = 2;

const countsOf = (histories: readonly DecisionHistory[]): readonly CounterContradictions[] =>
  histories.map((history) => new CounterContradictions(history));

/** What the counters on a grid contradict at the least, for each limit. */
const fewestOnGrid = (
  counts: readonly CounterContradictions[],
  grid: CounterGrid,
  largest: number,
): Int32Array => {
  const fewest = new Int32Array(largest + 1).fill(2 ** 31 - 1);
  for (const count of counts) {
    const { some, whole } = count.on(grid, largest);
    for (let limit = 0; limit <= largest; limit += 1)
      fewest[limit] = Math.min(fewest[limit]!, some[limit]!, whole[limit]!);
  }
  return fewest;
};

/** Which of some grids contradicts the fewest decisions with each limit, and how many. */
interface BestGrids {
  readonly fewest: Int32Array;
  readonly phases: Float64Array;
}

const bestGrids = (
  counts: readonly CounterContradictions[],
  grids: readonly CounterGrid[],
  largest: number,
): BestGrids => {
  const fewest = new Int32Array(largest + 1).fill(2 ** 31 - 1);
  const phases = new Float64Array(largest + 1);
  for (const grid of grids) {
    const found = fewestOnGrid(counts, grid, largest);
    for (let limit = 0; limit <= largest; limit += 1) {
      if (found[limit]! >= fewest[limit]!) continue;
      fewest[limit] = found[limit]!;
      phases[limit] = grid.phase;
    }
  }
  return { fewest, phases };
};

/** For each window the best grids of so many times the usual phases. */
const bestByWindow = (
  clock: OffsetBounds | null,
  counts: readonly CounterContradictions[],
  largest: number,
  times: number,
): ((window: number) => BestGrids) => {
  const known = new Map<number, BestGrids>();
  return (window) => {
    const found =
      known.get(window) ?? bestGrids(counts, counterGrids(clock, window, times), largest);
    known.set(window, found);
    return found;
  };
};

/** The phases around the best one are divided twice, since a part of a request decides. What contradicts a larger share is not looked at more closely, the first time and the second. */
const worthwhile = 0.1;
const worthwhileCloser = 0.04;

/** At a first look at most so many decisions are replayed. */
const sampled = 600;

/** A closer score: of the phases around the one that contradicts the fewest of a sample of the decisions. */
const closeScoreOf = ({ histories, context }: ReplayEvidence, largest: number): Score => {
  const { clock, besides } = context;
  const decisions = histories[0]!.decisions.length;
  const every = Math.ceil(decisions / sampled);
  const samples = countsOf(
    histories.slice(0, besides.length).map((history) => sampleOf(history, every)),
  );
  const whole = countsOf(histories);
  const byWindow = bestByWindow(clock, samples, largest, finer);
  const known = new Map<string, number>();
  const around = (near: number, window: number, apart: number): readonly CounterGrid[] =>
    phasesAround(near, apart).map((phase) => ({ window, phase }));
  const closest = (limit: number, window: number): number => {
    const { fewest, phases } = byWindow(window);
    const estimate = every * (fewest[limit] ?? Infinity);
    if (estimate > worthwhile * decisions) return estimate;
    const [first, next] = counterGrids(clock, window, finer);
    const apart = next!.phase - first!.phase;
    const closer = bestGrids(samples, around(phases[limit]!, window, apart), largest);
    const closerEstimate = every * closer.fewest[limit]!;
    if (closerEstimate > worthwhileCloser * decisions) return closerEstimate;
    const grids = around(closer.phases[limit]!, window, apart / phaseParts);
    return bestGrids(whole, grids, largest).fewest[limit]!;
  };
  return (limit, window) => {
    const place = `${limit} ${window}`;
    const wrong = known.get(place) ?? closest(limit, window);
    known.set(place, wrong);
    return wrong;
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
  return windows.includes(window) ? windows : [...windows, window];
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

/** The best place of each window, the best first. */
const bestOfWindows = (places: readonly Place[]): readonly Place[] => {
  const byWindow = Map.groupBy(places, ({ window }) => window);
  return [...byWindow.values()]
    .map((group) => group.toSorted(fewestFirst)[0]!)
    .toSorted(fewestFirst);
};

/**
 * The weighted counter of another limit or window that contradicts the fewest decisions of a log, if no more than
 * `mostWrong`. Counters of the server's clock are tried or, if that is unknown, of any phase; and only windows of whole
 * seconds, since the phase of a window that differs by a millisecond is another one.
 */
export const fitCounters = (evidence: ReplayEvidence, mostWrong: number): readonly LimiterFit[] => {
  const { histories, context } = evidence;
  const promptHistories = histories.slice(0, context.besides.length);
  const limits = likelyLimits(promptHistories, context);
  const largest = largestMultiple * Math.ceil(Math.max(highest * context.limit, ...limits) + 2);
  const coarse = bestByWindow(context.clock, countsOf(promptHistories), largest, 1);
  const score = closeScoreOf(evidence, largest);
  const places = placesToTry(limits, context).map(([limit, window]): Place => ({
    limit,
    window,
    wrong: coarse(window).fewest[limit] ?? Infinity,
  }));
  const closer = bestOfWindows(places)
    .slice(0, looked)
    .flatMap(({ limit, window }) =>
      nearby(limit, context).map((near): Place => ({
        limit: near,
        window,
        wrong: score(near, window, Infinity),
      })),
    );
  const best = closer.toSorted(fewestFirst)[0];
  if (best === undefined || best.wrong > mostWrong) return [];
  const { limit, window, wrong } = best;
  const explains: Explains = (...place) => score(...place) <= wrong;
  const explaining = windowsToTry(context).filter((each) => explains(limit, each, wrong));
  return [
    {
      limiter: 'sliding-counter',
      limit: limitInterval(explains, best),
      window: {
        value: window,
        least: Math.min(window, ...explaining),
        most: Math.max(window, ...explaining),
      },
      parameters: {},
      wrong,
    },
  ];
};
