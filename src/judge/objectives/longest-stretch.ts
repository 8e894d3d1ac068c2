import {
  comparisonOperators,
  inScope,
  isLowerBound,
  type Objective,
} from '../../model/plan/objective.ts';
import type { Part } from '../../model/measures/dependence.ts';
import type { Result } from '../../model/result/result.ts';
import {
  type RunPart,
  cachedBySecond,
  shareBySecond,
  sumBySecond,
  withinBySecond,
} from '../../model/result/run-dependence.ts';
import { groupsMatching, outsideWarmUp, runPartOf } from '../../model/result/summary.ts';
import { ratedIn } from './judge-objectives.ts';

/**
 * This file asks whether a single stretch of a run decides a verdict. An interval assumes that the seconds of a run are
 * samples of one process. Some runs break this assumption: a gateway may refuse everything for its first 25 s, and
 * nothing later. After 30 s, the failures of such a gateway exclude any bound, but say nothing about the next minutes.
 */

interface BySecond {
  readonly seconds: readonly Part[];
  readonly keeps: (ratio: number) => boolean;
}

/** Returns the figure of an objective in each second; `null` if the timeline lacks the figure. */
const bySecondOf = (
  result: Result,
  { figure, comparison, bound, scope }: Objective,
  part: RunPart,
): BySecond | null => {
  const keeps = (ratio: number): boolean => comparisonOperators[comparison](ratio, bound);
  const ofShares = (seconds: ReturnType<typeof shareBySecond>): readonly Part[] =>
    seconds.map(({ events, of }) => ({ sum: events, of }));
  switch (figure.kind) {
    case 'rate':
      return { seconds: ratedIn(result, figure.name, scope).map((sum) => ({ sum, of: 1 })), keeps };
    case 'token-share':
      return { seconds: cachedBySecond(part), keeps: (ratio) => keeps(ratio * 100) };
    case 'share':
      return {
        seconds: ofShares(shareBySecond(part, figure.name)),
        keeps: (ratio) => keeps(ratio * 100),
      };
    case 'measure': {
      const { name, statistic } = figure;
      if (typeof statistic === 'number') {
        const within = withinBySecond(part, name, bound);
        if (within === null) return null;
        const isKept = (ratio: number): boolean =>
          isLowerBound(comparison) ? ratio < statistic : ratio >= statistic;
        return { seconds: ofShares(within), keeps: isKept };
      }
      const seconds = statistic === 'mean' ? sumBySecond(part, name) : null;
      return seconds && { seconds, keeps };
    }
    case 'count':
    case 'server':
      return null;
  }
};

const ratioOf = (seconds: readonly Part[]): number =>
  seconds.reduce((total, { sum }) => total + sum, 0) /
  seconds.reduce((total, { of }) => total + of, 0);

/**
 * Returns the longest stretch of consecutive seconds that are all `true`, as its first second and the second after its
 * end.
 */
const longestStretch = (verdicts: readonly boolean[]): readonly [from: number, to: number] => {
  let longest: readonly [number, number] = [0, 0];
  let from = 0;
  for (const [i, isSame] of verdicts.entries()) {
    if (!isSame) from = i + 1;
    else if (i + 1 - from > longest[1] - longest[0]) longest = [from, i + 1];
  }
  return longest;
};

/**
 * The seconds outside the longest stretch are negligible if they are at most this share of the seconds with arrivals.
 */
const negligible = 0.05;
/**
 * If all seconds outside the longest stretch come before the stretch, this larger share of them is negligible, since
 * the server may have changed after the beginning.
 */
const negligibleBefore = 0.2;

/**
 * Returns whether the verdict on an objective stands without the longest stretch of seconds with the same verdict. The
 * verdict also stands if this stretch is nearly the whole run, if the timeline lacks the figure, or if the timeline
 * shows another verdict.
 */
export const standsWithoutStretch = (
  result: Result,
  objective: Objective,
  isKept: boolean,
): boolean => {
  const groups = groupsMatching(
    result,
    (labels) => outsideWarmUp(labels) && inScope(objective.scope, labels),
  );
  const found = bySecondOf(result, objective, runPartOf(result, groups));
  if (found === null) return true;
  const seconds = found.seconds.filter(({ of }) => of > 0);
  const hasVerdict = (some: readonly Part[]): boolean => found.keeps(ratioOf(some)) === isKept;
  if (!hasVerdict(seconds)) return true;
  const [from, to] = longestStretch(seconds.map((each) => hasVerdict([each])));
  const rest = [...seconds.slice(0, from), ...seconds.slice(to)];
  const most = to === seconds.length ? negligibleBefore : negligible;
  return rest.length <= most * seconds.length || hasVerdict(rest);
};
