import type { LimiterClass, LimitRule } from '../../../../model/limits/limit-log.ts';
import type { Fitted, LimiterFit } from '../../../../model/limits/limiter-fit.ts';
import type { DecisionHistory } from '../../../../judge/limits/limiter/decision-history.ts';
import { ClassSearch, type Explains, type Score } from './class-search.ts';
import type { ReplayEvidence } from '../../../../judge/limits/limiter/replay-class.ts';

/**
 * The classes whose limit and window are fitted. The others have parameters of their own that explain another limit,
 * or explain nearly any bucket, as logs of all requests with some window. For weighted counters see `fit-counters.ts`.
 */
const fittedClasses: readonly LimiterClass[] = [
  'fixed-from-first',
  'fixed-any-phase',
  'sliding-log',
  'token-bucket',
  'burst-bucket',
];

/** The windows that are tried, as shares of the declared one, and the ratio of two neighbours. */
const shortest = 0.5;
const longest = 2;
const coarseStep = 1.02;
/** The ratio of neighbours when all that explain as well are searched. */
const fineStep = 1.0025;
/** How many of them are looked at more closely, and into how many parts the space around each is divided, so many times. */
const looked = 3;
const parts = 6;
const levels = 4;
/** So many levels are estimated from a sample of so many decisions, with phases apart by a part of the step between windows. */
const roughLevels = 2;
const sampled = 400;
const phaseParts = 4;
/** What then contradicts so large a share of the sample more than may be contradicted is not looked at again. */
const farOffShare = 0.015;
/** A place is counted up to twice the fewest contradictions so far and so many. */
const spared = 8;
/** A class that contradicts so large a share at a first look is not looked at again. */
const hopeless = 0.4;
/** The precision of an interval's ends. */
const precision = 1e-4;

export interface Place {
  readonly limit: number;
  readonly window: number;
  readonly wrong: number;
}

/** How many were admitted of the requests that were sent, after a window without any, before a refusal was known: what a limiter holds. */
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

/** The declared limit, and what bursts from idle were admitted. */
export const likelyLimits = (
  histories: readonly DecisionHistory[],
  { limit, window }: LimitRule,
): readonly number[] => [
  ...new Set([limit, ...histories.flatMap((history) => admittedFromIdle(history, window))]),
];

/** A look at all windows. */
const lookAtAll = (
  score: Score,
  limits: readonly number[],
  declared: LimitRule,
): readonly Place[] => {
  const places: Place[] = [];
  let fewest = Infinity;
  for (const limit of limits) {
    for (let share = shortest; share <= longest; share *= coarseStep) {
      const window = share * declared.window;
      const wrong = score(limit, window, 2 * fewest + spared);
      fewest = Math.min(fewest, wrong);
      places.push({ limit, window, wrong });
    }
  }
  return places.toSorted(fewestFirst).slice(0, looked);
};

/** What is around a place, up to `step` away from its window as a share of it. */
const around = ({ limit, window }: Place, step: number): readonly Omit<Place, 'wrong'>[] =>
  Array.from({ length: 2 * parts - 1 }, (_, i) => ({
    limit,
    window: window * (1 + (step * (i + 1 - parts)) / parts),
  }));

/** One closer look around the best places, and at their neighbours with a few requests more or less. */
const lookAround = (
  score: Score,
  best: readonly Place[],
  step: number,
  near: readonly number[],
): readonly Place[] => {
  const tried = best.flatMap((place) =>
    near.flatMap((more) => around({ ...place, limit: place.limit + more }, step)),
  );
  let found = best;
  for (const { limit, window } of tried) {
    const wrong = score(limit, window, found.at(-1)!.wrong);
    found = [...found, { limit, window, wrong }].toSorted(fewestFirst).slice(0, looked);
    if (wrong === 0) break;
  }
  return found;
};

/** Scores a class closely, and roughly with phases so far apart, as a share of the window. */
interface ClassScores {
  readonly score: Score;
  readonly roughly: (apart: number) => Score;
}

/** Closer and closer looks around the best places; `null` if the class stays further than `farOff` from `mostWrong`. */
const lookCloser = (
  { score, roughly }: ClassScores,
  places: readonly Place[],
  mostWrong: number,
  farOff: number,
): Place | null => {
  let found = places;
  let step = coarseStep - 1;
  for (let level = 0; level < roughLevels; level += 1) {
    const rough = roughly(step / parts / phaseParts);
    found = lookAround(rough, found, step, level === 0 ? [0, -1, 1] : [0]);
    step /= parts;
  }
  if (found[0]!.wrong > mostWrong + farOff) return null;
  found = found
    .map(({ limit, window }) => ({ limit, window, wrong: score(limit, window, Infinity) }))
    .toSorted(fewestFirst);
  for (let level = roughLevels; level < levels && found[0]!.wrong > 0; level += 1) {
    found = lookAround(score, found, step, [0]);
    step /= parts;
  }
  return found[0]!;
};

/** How far a value can be moved to one side, between `from`, which explains, and `to`, before it explains less. */
const edgeOf = (explains: (value: number) => boolean, from: number, to: number): number => {
  let [inside, outside] = [from, to];
  if (explains(to)) return to;
  while (Math.abs(outside - inside) > precision * from) {
    const middle = (inside + outside) / 2;
    if (explains(middle)) inside = middle;
    else outside = middle;
  }
  return inside;
};

/** The first value outwards from the best that no longer explains, by doubled steps. */
const outwards = (
  explains: (value: number) => boolean,
  from: number,
  direction: 1 | -1,
): number => {
  let step = precision * from;
  while (explains(from + direction * step) && step < from / 4) step *= 2;
  return edgeOf(explains, from, from + direction * step);
};

/** All windows that explain as well, and what is between them: several lengths can, if no boundary was seen closely. */
const windowInterval = (
  isExplained: Explains,
  { limit, window, wrong }: Place,
  declared: number,
): Fitted => {
  const explains = (value: number): boolean => isExplained(limit, value, wrong);
  let [least, most] = [window, window];
  for (let value = shortest * declared; value < least; value *= fineStep) {
    if (explains(value)) least = value;
  }
  for (let value = longest * declared; value > most; value /= fineStep) {
    if (explains(value)) most = value;
  }
  return {
    value: window,
    least: outwards(explains, least, -1),
    most: outwards(explains, most, 1),
  };
};

/** Limits are whole numbers. */
export const limitInterval = (isExplained: Explains, { limit, window, wrong }: Place): Fitted => {
  const explains = (value: number): boolean => isExplained(value, window, wrong);
  let [least, most] = [limit, limit];
  while (least > 1 && explains(least - 1)) least -= 1;
  while (most < 2 * limit && explains(most + 1)) most += 1;
  return { value: limit, least, most };
};

/**
 * The limiters of another limit or window that contradict at most `mostWrong` decisions of a log, one of each class, the
 * best first. They are searched where no class with the declared limit explains the log.
 */
export const fitOtherLimits = (
  { log, histories, context }: ReplayEvidence,
  mostWrong: number,
): readonly LimiterFit[] => {
  const promptHistories = histories.slice(0, context.besides.length);
  const limits = likelyLimits(promptHistories, context);
  const every = Math.max(1, Math.ceil(log.length / sampled));
  return fittedClasses
    .flatMap((name) => {
      const { score, explains } = new ClassSearch(name, histories, { every: 1, apart: 0 });
      const roughly = (apart: number): Score =>
        new ClassSearch(name, promptHistories, { every, apart }).score;
      const places = lookAtAll(roughly((coarseStep - 1) / phaseParts), limits, context);
      if (places[0]!.wrong > hopeless * log.length) return [];
      const farOff = farOffShare * every * sampled;
      const place = lookCloser({ score, roughly }, places, mostWrong, farOff);
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
