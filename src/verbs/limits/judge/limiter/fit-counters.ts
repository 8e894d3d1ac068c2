import type { LimitRule } from '../../../../model/limits/limit-log.ts';
import type { LimiterFit } from '../../../../model/limits/limiter-fit.ts';
import { sampleOf } from '../../../../judge/limits/limiter/decision-history.ts';
import {
  fewestFirst,
  likelyLimits,
  limitInterval,
  type Place,
  type Explains,
  type Score,
} from './fit-limits.ts';
import {
  counterContradictions,
  type CounterContradictions,
  type CounterGrid,
} from './counter-contradictions.ts';
import {
  counterGrids,
  phaseParts,
  phasesAround,
  type ReplayContext,
} from '../../../../judge/limits/limiter/limiter-candidates.ts';
import type { ReplayEvidence } from '../../../../judge/limits/limiter/replay-class.ts';
import type { OffsetBounds } from '../../../../judge/limits/limiter/server-window.ts';

/**
 * Windows between these multiples of the declared window are tried. The range is narrower without the server's clock,
 * since all phases must be tried then.
 */
const windowShares = { ofClock: [0.5, 2], anyPhase: [0.75, 1.6] } as const;
/** Between the declared window and twice its length, at most this many lengths are tried. */
const maxWindowSteps = 60;
const second = 1000;
/**
 * The smallest limit to try, as a share of the declared limit. The true limit can be below the size of the bursts,
 * since bursts do not show the limit of a weighted counter.
 */
const minLimitShare = 0.7;
/** The largest limit to try with the declared window, as a share of the declared limit. */
const maxLimitShare = 1.3;
const maxLimits = 40;
/**
 * The number of windows that are searched more closely: with more phases for the best limit, and with neighbouring
 * limits.
 */
const closerPlaces = 6;
/** A closer search tries this many times as many phases as the first search. */
const finerPhases = 3;
/**
 * Contradictions are counted for limits up to this multiple of the largest tried limit, since the interval of a limit
 * may extend beyond the tried limits.
 */
const largestMultiple = 2;

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
  const found = grids.flatMap((grid) =>
    counts.map((countOn) => ({ phase: grid.phase, ...countOn(grid, largest) })),
  );
  for (const { phase, some, whole } of found) {
    for (let limit = 0; limit <= largest; limit += 1) {
      const wrong = Math.min(some[limit]!, whole[limit]!);
      if (wrong >= fewest[limit]!) continue;
      fewest[limit] = wrong;
      phases[limit] = phase;
    }
  }
  return { fewest, phases };
};

/**
 * Returns a function that finds and remembers, for a window, the best phase of each limit. It tries `times` as many
 * phases as usual.
 */
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

/**
 * If the estimated number of contradicted decisions exceeds this share of all decisions, the finer search is skipped.
 */
const maxShareForCloser = 0.1;
/**
 * If the number estimated by the finer search exceeds this share of all decisions, the finest search, with all
 * decisions, is skipped.
 */
const maxShareForClosest = 0.04;
const sampleSize = 600;

/**
 * Returns a scoring function that searches around the best phase in two finer steps, since even a small error of the
 * phase makes the modelled limiter disagree with observed decisions.
 */
const closeScoreOf = ({ histories, context }: ReplayEvidence, largest: number): Score => {
  const { clock, besides } = context;
  const decisions = histories[0]!.decisions.length;
  const every = Math.ceil(decisions / sampleSize);
  const samples = histories
    .slice(0, besides.length)
    .map((history) => counterContradictions(sampleOf(history, every)));
  const whole = histories.map(counterContradictions);
  const byWindow = bestByWindow(clock, samples, largest, finerPhases);
  const known = new Map<string, number>();
  const around = (near: number, window: number, apart: number): readonly CounterGrid[] =>
    phasesAround(near, apart).map((phase) => ({ window, phase }));
  const closestScore = (limit: number, window: number): number => {
    const { fewest, phases } = byWindow(window);
    const estimate = every * (fewest[limit] ?? Infinity);
    if (estimate > maxShareForCloser * decisions) return estimate;
    const [first, next] = counterGrids(clock, window, finerPhases);
    const apart = next!.phase - first!.phase;
    const closer = bestGrids(samples, around(phases[limit]!, window, apart), largest);
    const closerEstimate = every * closer.fewest[limit]!;
    if (closerEstimate > maxShareForClosest * decisions) return closerEstimate;
    const grids = around(closer.phases[limit]!, window, apart / phaseParts);
    return bestGrids(whole, grids, largest).fewest[limit]!;
  };
  return (limit, window) => {
    const place = `${limit} ${window}`;
    const wrong = known.get(place) ?? closestScore(limit, window);
    known.set(place, wrong);
    return wrong;
  };
};

const numbersBetween = (least: number, most: number, step: number): readonly number[] => {
  const numbers: number[] = [];
  for (let next = least; next <= most; next += step) numbers.push(next);
  return numbers;
};

const windowsToTry = ({ window, clock }: ReplayContext): readonly number[] => {
  const [shortest, longest] = windowShares[clock === null ? 'anyPhase' : 'ofClock'];
  const step = second * Math.ceil(window / maxWindowSteps / second);
  const first = Math.ceil((shortest * window) / step) * step;
  const windows = numbersBetween(first, longest * window, step);
  return windows.includes(window) ? windows : [...windows, window];
};

const limitStep = ({ limit }: LimitRule): number =>
  Math.max(1, Math.round(((maxLimitShare - minLimitShare) * limit) / maxLimits));

/**
 * Returns the pairs of limit and window to try: a grid of limits with the declared window, and the likely limits with
 * all windows.
 */
const placesToTry = (
  likely: readonly number[],
  rule: ReplayContext,
): readonly (readonly [limit: number, window: number])[] => {
  const first = Math.ceil(minLimitShare * rule.limit);
  const limits = numbersBetween(first, maxLimitShare * rule.limit, limitStep(rule));
  return [
    ...limits.map((limit) => [limit, rule.window] as const),
    ...likely.flatMap((limit) => windowsToTry(rule).map((window) => [limit, window] as const)),
  ];
};

/** Returns a limit and its neighbours, the closest first. */
const limitsNear = (limit: number, rule: LimitRule): readonly number[] => {
  const most = Math.max(2, limitStep(rule));
  return Array.from({ length: 2 * most + 1 }, (_, i) => limit + (i % 2 === 0 ? i : -i - 1) / 2);
};

/**
 * Returns, for each window, the place (limit and window) that contradicts the fewest decisions; the best place comes
 * first.
 */
const bestOfWindows = (places: readonly Place[]): readonly Place[] => {
  const byWindow = Map.groupBy(places, ({ window }) => window);
  return [...byWindow.values()]
    .map((group) => group.toSorted(fewestFirst)[0]!)
    .toSorted(fewestFirst);
};

/**
 * Searches weighted counters of many limits and windows for the one that contradicts the fewest decisions. Returns an
 * empty list if it contradicts more than `mostWrong`. The tried windows are whole seconds. They are aligned to the
 * server's clock, or have any phase if this clock is unknown.
 */
export const fitCounters = (evidence: ReplayEvidence, mostWrong: number): readonly LimiterFit[] => {
  const { histories, context } = evidence;
  const promptHistories = histories.slice(0, context.besides.length);
  const limits = likelyLimits(promptHistories, context);
  const largest =
    largestMultiple * Math.ceil(Math.max(maxLimitShare * context.limit, ...limits) + 2);
  const coarse = bestByWindow(
    context.clock,
    promptHistories.map(counterContradictions),
    largest,
    1,
  );
  const score = closeScoreOf(evidence, largest);
  const places = placesToTry(limits, context).map(([limit, window]): Place => ({
    limit,
    window,
    wrong: coarse(window).fewest[limit] ?? Infinity,
  }));
  const closer = bestOfWindows(places)
    .slice(0, closerPlaces)
    .flatMap(({ limit, window }) =>
      limitsNear(limit, context).map((near): Place => ({
        limit: near,
        window,
        wrong: score(near, window, Infinity),
      })),
    );
  const best = closer.toSorted(fewestFirst)[0];
  if (best === undefined || best.wrong > mostWrong) return [];
  const { limit, window, wrong } = best;
  const explains: Explains = (...place) => score(...place) <= wrong;
  const same = [window, ...windowsToTry(context).filter((each) => explains(limit, each, wrong))];
  const interval = { value: window, least: Math.min(...same), most: Math.max(...same) };
  const fitted = { limit: limitInterval(explains, best), window: interval, parameters: {}, wrong };
  return [{ limiter: 'sliding-counter', ...fitted }];
};
