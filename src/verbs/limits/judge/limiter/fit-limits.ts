import type { LimiterClass, LimitRule } from '../../../../model/limits/limit-log.ts';
import type { Fitted, LimiterFit } from '../../../../model/limits/limiter-fit.ts';
import {
  type DecisionHistory,
  sampleOf,
} from '../../../../judge/limits/limiter/decision-history.ts';
import {
  type ReplayEvidence,
  ContradictionCount,
} from '../../../../judge/limits/limiter/replay-class.ts';
import { milliseconds } from '../../../../model/quantity.ts';
import { otherCandidates } from '../../../../judge/limits/limiter/limiter-candidates.ts';

/**
 * Returns the number of decisions that the best limiter with this limit and window contradicts; infinity if this number
 * exceeds `most`.
 */
export type Score = (limit: number, window: number, most: number) => number;

/** Returns whether a class has a limiter with this limit and window that contradicts at most `most` decisions. */
export type Explains = (limit: number, window: number, most: number) => boolean;

/**
 * Returns two functions that search the limiters of one class for those that contradict the fewest decisions. Only
 * every `every`-th decision is replayed, so counts are estimates if `every` is above 1. If a log has many decisions,
 * neighbouring phases in the search differ by `apart`, as a share of the window.
 */
const searchClass = (
  name: LimiterClass,
  histories: readonly DecisionHistory[],
  { every, apart }: { readonly every: number; readonly apart: number },
): { readonly score: Score; readonly explains: Explains } => {
  const counts = histories.map((history) => {
    const count = new ContradictionCount(name, sampleOf(history, every));
    const candidates = (limit: number, window: number) =>
      otherCandidates(name, history, { limit, window: milliseconds(window) }, apart * window);
    return { count, candidates };
  });
  return {
    score: (limit, window, most) => {
      const fewest = counts.reduce((least, { count, candidates }) => {
        const allowed = Math.min(Math.ceil(most / every), least - 1);
        return Math.min(least, count.fewest(candidates(limit, window), allowed));
      }, Infinity);
      return fewest * every;
    },
    explains: (limit, window, most) =>
      counts.some(({ count, candidates }) =>
        count.isAtMost(candidates(limit, window), most / every),
      ),
  };
};

/**
 * The classes that are fitted here. Other classes are left out, since their parameters can imitate another limit, or
 * nearly any bucket.
 */
const fittedClasses: readonly LimiterClass[] = [
  'fixed-from-first',
  'fixed-any-phase',
  'sliding-log',
  'token-bucket',
  'burst-bucket',
];

/** The shortest window to try, as a share of the declared window. */
const shortestShare = 0.5;
const longestShare = 2;
/** The ratio of neighbouring windows in the first search. */
const coarseStep = 1.02;
/**
 * In the search for all windows that explain the log as well as the best one, neighbouring windows differ by this
 * factor.
 */
const fineStep = 1.0025;
const placesKept = 3;
/** Each level of the search divides the distance to the neighbouring window into this many parts. */
const parts = 6;
const levels = 4;
const roughLevels = 2;
const sampleSize = 400;
/**
 * In an estimate, the distance between neighbouring phases is the distance between neighbouring windows divided by this
 * number.
 */
const phasesPerStep = 4;
/** A class is dropped if its estimate exceeds the allowed contradictions by more than this share of the decisions. */
const farOffShare = 0.015;
/** The counting of contradictions stops at this number plus twice the fewest contradictions so far. */
const spareContradictions = 8;
/** A class is abandoned if, after the first search, it contradicts more than this share of the decisions. */
const hopelessShare = 0.4;
const precision = 1e-4;

/**
 * A limit and a window in ms. `wrong` is the number of decisions that the best limiter with this limit and this window
 * contradicts.
 */
export interface Place {
  readonly limit: number;
  readonly window: number;
  readonly wrong: number;
}

/**
 * Returns the size of each burst after an idle window: the number of requests that were admitted before the first
 * refusal was answered.
 */
const admittedFromIdle = (
  { decisions, admitted }: DecisionHistory,
  window: number,
): readonly number[] => {
  const ordered = decisions.toSorted((a, b) => a.sent - b.sent);
  let latest = Number.NEGATIVE_INFINITY;
  const begins = ordered.flatMap(({ sent, answered }, place) => {
    const isIdle = sent - latest > window;
    latest = Math.max(latest, answered);
    return isIdle ? [place] : [];
  });
  return begins.flatMap((begin, i) => {
    const burst = ordered.slice(begin, begins[i + 1]);
    const known = burst.reduce(
      (least, each) => (each.admitted ? least : Math.min(least, each.answered)),
      Infinity,
    );
    const count = admitted.filter(({ sent }) => sent >= burst[0]!.sent && sent < known).length;
    return known < Infinity ? [count] : [];
  });
};

export const fewestFirst = (a: Place, b: Place): number => a.wrong - b.wrong;

/** Returns the probable limits: the declared limit, and the number of admissions of each burst after an idle window. */
export const likelyLimits = (
  histories: readonly DecisionHistory[],
  { limit, window }: LimitRule,
): readonly number[] => [
  ...new Set([limit, ...histories.flatMap((history) => admittedFromIdle(history, window))]),
];

const searchAllWindows = (
  score: Score,
  limits: readonly number[],
  declared: LimitRule,
): readonly Place[] => {
  const places: Place[] = [];
  let fewest = Infinity;
  for (const limit of limits) {
    for (let share = shortestShare; share <= longestShare; share *= coarseStep) {
      const window = share * declared.window;
      const wrong = score(limit, window, 2 * fewest + spareContradictions);
      fewest = Math.min(fewest, wrong);
      places.push({ limit, window, wrong });
    }
  }
  return places.toSorted(fewestFirst).slice(0, placesKept);
};

/**
 * Scores places around the best places. The tried limits are the limits of the best places plus each number in `near`.
 * Returns the best of all scored places.
 */
const searchAround = (
  score: Score,
  best: readonly Place[],
  step: number,
  near: readonly number[],
): readonly Place[] => {
  // The tried windows differ from a place's window by these shares, which lie between `-step` and `step`.
  const shares = Array.from({ length: 2 * parts - 1 }, (_, i) => (step * (i + 1 - parts)) / parts);
  const tried = best.flatMap((place) =>
    near.flatMap((more) =>
      shares.map((share) => ({ limit: place.limit + more, window: place.window * (1 + share) })),
    ),
  );
  let found = best;
  for (const { limit, window } of tried) {
    const wrong = score(limit, window, found.at(-1)!.wrong);
    found = [...found, { limit, window, wrong }].toSorted(fewestFirst).slice(0, placesKept);
    if (wrong === 0) break;
  }
  return found;
};

/** Searches around the best places in ever smaller steps. Returns `null` if the estimates are above `allowed`. */
const searchCloser = (
  score: Score,
  roughly: (apart: number) => Score,
  places: readonly Place[],
  allowed: number,
): Place | null => {
  let found = places;
  let step = coarseStep - 1;
  for (let level = 0; level < roughLevels; level += 1) {
    const rough = roughly(step / parts / phasesPerStep);
    found = searchAround(rough, found, step, level === 0 ? [0, -1, 1] : [0]);
    step /= parts;
  }
  if (found[0]!.wrong > allowed) return null;
  found = found
    .map(({ limit, window }) => ({ limit, window, wrong: score(limit, window, Infinity) }))
    .toSorted(fewestFirst);
  for (let level = roughLevels; level < levels && found[0]!.wrong > 0; level += 1) {
    found = searchAround(score, found, step, [0]);
    step /= parts;
  }
  return found[0]!;
};

/** Finds the last value in one direction that explains the log, first in doubling steps, then by bisection. */
const searchOutwards = (
  explains: (value: number) => boolean,
  from: number,
  direction: 1 | -1,
): number => {
  let step = precision * from;
  while (explains(from + direction * step) && step < from / 4) step *= 2;
  let [inside, outside] = [from, from + direction * step];
  if (explains(outside)) return outside;
  while (Math.abs(outside - inside) > precision * from) {
    const middle = (inside + outside) / 2;
    if (explains(middle)) inside = middle;
    else outside = middle;
  }
  return inside;
};

/**
 * Returns a range of windows. Both ends of the range explain the log as well as the best window. Windows between the
 * ends may explain the log less well.
 */
export const windowInterval = (
  isExplained: Explains,
  { limit, window, wrong }: Place,
  declared: number,
): Fitted => {
  const explains = (value: number): boolean => isExplained(limit, value, wrong);
  let [least, most] = [window, window];
  for (let value = shortestShare * declared; value < least; value *= fineStep) {
    if (explains(value)) least = value;
  }
  for (let value = longestShare * declared; value > most; value /= fineStep) {
    if (explains(value)) most = value;
  }
  return {
    value: window,
    least: searchOutwards(explains, least, -1),
    most: searchOutwards(explains, most, 1),
  };
};

export const limitInterval = (isExplained: Explains, { limit, window, wrong }: Place): Fitted => {
  const explains = (value: number): boolean => isExplained(value, window, wrong);
  let [least, most] = [limit, limit];
  while (least > 1 && explains(least - 1)) least -= 1;
  while (most < 2 * limit && explains(most + 1)) most += 1;
  return { value: limit, least, most };
};

/**
 * Finds limiters of another limit with at most `mostWrong` contradictions. Returns at most one limiter of each class,
 * the best limiter first.
 */
export const fitOtherLimits = (
  { log, histories, context }: ReplayEvidence,
  mostWrong: number,
): readonly LimiterFit[] => {
  const promptHistories = histories.slice(0, context.besides.length);
  const limits = likelyLimits(promptHistories, context);
  const every = Math.max(1, Math.ceil(log.length / sampleSize));
  return fittedClasses
    .flatMap((name) => {
      const { score, explains } = searchClass(name, histories, { every: 1, apart: 0 });
      const roughly = (apart: number): Score =>
        searchClass(name, promptHistories, { every, apart }).score;
      const places = searchAllWindows(roughly((coarseStep - 1) / phasesPerStep), limits, context);
      if (places[0]!.wrong > hopelessShare * log.length) return [];
      const farOff = farOffShare * every * sampleSize;
      const place = searchCloser(score, roughly, places, mostWrong + farOff);
      if (place === null || place.wrong > mostWrong) return [];
      return {
        limiter: name,
        limit: limitInterval(explains, place),
        window: windowInterval(explains, place, context.window),
        parameters: {},
        wrong: place.wrong,
      };
    })
    .toSorted((a, b) => a.wrong - b.wrong);
};
