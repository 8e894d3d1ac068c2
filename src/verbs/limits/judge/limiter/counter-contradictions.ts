import type { DecisionHistory } from '../../../../judge/limits/limiter/decision-history.ts';
import { countBefore } from '../../../../judge/limits/facts/count-instants.ts';
import { middleOf } from '../../../../judge/limits/limiter/decision-history.ts';

/**
 * A grid of equal windows, in ms. One window begins at `phase`. The other windows begin a whole number of windows
 * earlier or later.
 */
export interface CounterGrid {
  readonly window: number;
  readonly phase: number;
}

/**
 * For each limit (the index), the number of decisions that a weighted counter with this limit contradicts. A counter
 * admits a request if the limit minus its weighted count is above 0 (`some`), or is at least 1 (`whole`).
 */
interface ContradictedByLimit {
  readonly some: Int32Array;
  readonly whole: Int32Array;
}

const roundingTolerance = 1e-9;

/**
 * Counts, for each limit from 0 to `largest`, the decisions that contradict it. The counts are stored as changes from
 * each limit to the next.
 */
const limitContradictions = (largest: number) => {
  const changes = new Int32Array(largest + 2);
  const placeAfter = (limit: number): number => Math.min(Math.max(limit + 1, 0), largest + 1);
  return {
    addUpTo: (limit: number): void => {
      changes[0]! += 1;
      changes[placeAfter(limit)]! -= 1;
    },
    addAbove: (limit: number): void => {
      changes[placeAfter(limit)]! += 1;
    },
    counts: (): Int32Array => {
      const counts = changes.slice(0, -1);
      for (let limit = 1; limit < counts.length; limit += 1) counts[limit]! += counts[limit - 1]!;
      return counts;
    },
  };
};

/**
 * Returns a function that computes the smallest (`isLeast`) or the largest weighted count of a counter at given
 * moments. The weighted count is the number of admissions in the current window, plus a share of the admissions in the
 * window before. Example: a quarter into a window, 40 admissions of the window before count as 30.
 */
const weightedCounter = (middles: Float64Array, { window, phase }: CounterGrid) => {
  let known = { current: Number.NaN, begin: 0, beforeCurrent: 0, older: 0 };
  const windowOf = (moment: number): number => Math.floor((moment - phase) / window);
  const countAt = (admitted: number, moment: number, current = windowOf(moment)): number => {
    // Decisions come in chronological order, so most decisions are in the same window as the previous decision.
    if (current !== known.current) {
      const begin = current * window + phase;
      const beforeCurrent = countBefore(middles, begin);
      const older = beforeCurrent - countBefore(middles, begin - window);
      known = { current, begin, beforeCurrent, older };
    }
    return known.older * (1 - (moment - known.begin) / window) + (admitted - known.beforeCurrent);
  };
  return (admitted: number, moments: Float64Array, isLeast: boolean): number => {
    const [first, last] = [moments[0]!, moments[moments.length - 1]!];
    const current = windowOf(first);
    // Within a window, the weighted count falls until the next admission, so it is lowest at the last moment.
    if (current === windowOf(last)) return countAt(admitted, isLeast ? last : first, current);
    let extreme = isLeast ? Infinity : Number.NEGATIVE_INFINITY;
    for (const moment of moments) {
      const held = countAt(admitted, moment);
      extreme = isLeast ? Math.min(extreme, held) : Math.max(extreme, held);
    }
    return extreme;
  };
};

/**
 * A decision, the moments at which it may have been made (ascending), and how many requests were admitted before it.
 */
interface CountedDecision {
  readonly moments: Float64Array;
  readonly before: number;
  readonly admitted: boolean;
}

/**
 * Returns a function that counts, for all limits in one pass, the decisions that weighted counters contradict. One pass
 * is enough, since the weighted count does not depend on the limit. Example (`some`): at a count of 7.4, a limit of 7
 * refuses and a limit of 8 admits. So an admission contradicts the limits up to 7, and a refusal contradicts the limits
 * from 8.
 */
export const counterContradictions = ({ decisions, priors, middles, slack }: DecisionHistory) => {
  const counted = decisions.map((decision, place): CountedDecision => {
    const { sent, answered, admitted } = decision;
    const middle = middleOf(decision);
    const moments = Float64Array.of(sent - slack, sent, middle, answered, answered + slack);
    return { moments, before: priors[place]!.admitted, admitted };
  });
  return (grid: CounterGrid, largest: number): ContradictedByLimit => {
    const some = limitContradictions(largest);
    const whole = limitContradictions(largest);
    const extremeCount = weightedCounter(middles, grid);
    for (const { moments, before, admitted } of counted) {
      const held = extremeCount(before, moments, admitted);
      // The largest limits with which a counter refuses a request while the weighted count is `held`.
      const refusing = Math.floor(held + roundingTolerance);
      const refusingWhole = Math.ceil(held + 1 - roundingTolerance) - 1;
      if (admitted) {
        some.addUpTo(refusing);
        whole.addUpTo(refusingWhole);
      } else {
        some.addAbove(refusing);
        whole.addAbove(refusingWhole);
      }
    }
    return { some: some.counts(), whole: whole.counts() };
  };
};

export type CounterContradictions = ReturnType<typeof counterContradictions>;
