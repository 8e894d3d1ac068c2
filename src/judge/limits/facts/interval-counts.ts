import type { LimiterDecision } from '../../../model/limits/limit-log.ts';
import type { CountBounds } from '../../../model/limits/limit-report.ts';

/**
 * What a request took from a limit, at some moment that is not known: between `from` and `until`, and
 * at least `least` and at most `most` of what is limited. A request that was let in takes one.
 */
export interface Charge {
  readonly from: number;
  readonly until: number;
  readonly least: number;
  readonly most: number;
}

/** The requests of a log that were let in, each of them one. */
export const admissions = (log: readonly LimiterDecision[]): readonly Charge[] =>
  log
    .filter(({ admitted }) => admitted)
    .map(({ sent, answered }) => ({ from: sent, until: answered, least: 1, most: 1 }));

interface Interval {
  readonly from: number;
  readonly to: number;
  readonly weight: number;
}

/** The largest sum of weights of closed intervals `[from, to]` that have a point in common; empty ones count nothing. */
const maxOverlap = (intervals: readonly Interval[]): number => {
  const edges = intervals
    .filter(({ from, to }) => from <= to)
    .flatMap(({ from, to, weight }) => [
      { at: from, step: weight },
      { at: to, step: -weight },
    ])
    // At one point those that begin come before those that end.
    .toSorted((a, b) => a.at - b.at || b.step - a.step);
  let depth = 0;
  let most = 0;
  for (const { step } of edges) {
    depth += step;
    most = Math.max(most, depth);
  }
  return most;
};

/**
 * How much was charged within some `window` milliseconds, at its fullest, wherever it lies. A window
 * that begins at t holds a charge surely if it lies whole between t and t + window, and possibly if
 * it touches that time at all; so each charge gives an interval of such t, and the answer is the
 * depth where most of them overlap.
 */
export const mostWithin = (charges: readonly Charge[], window: number): CountBounds => ({
  least: maxOverlap(
    charges.map(({ from, until, least }) => ({ from: until - window, to: from, weight: least })),
  ),
  most: maxOverlap(
    charges.map(({ from, until, most }) => ({ from: from - window, to: until, weight: most })),
  ),
});

/** Ascending moments, and how much had come by each. */
class CumulativeSums {
  readonly #moments: Float64Array;
  readonly #sums: Float64Array;

  constructor(parts: readonly (readonly [moment: number, amount: number])[]) {
    const ascending = parts.toSorted(([a], [b]) => a - b);
    this.#moments = Float64Array.from(ascending, ([moment]) => moment);
    this.#sums = new Float64Array(ascending.length + 1);
    for (const [i, [, amount]] of ascending.entries()) this.#sums[i + 1] = this.#sums[i]! + amount;
  }

  /** The sum of what lies before `moment`. */
  before(moment: number): number {
    return this.#sumOf((other) => other < moment);
  }

  /** The sum of what lies before or at `moment`. */
  upTo(moment: number): number {
    return this.#sumOf((other) => other <= moment);
  }

  #sumOf(isIn: (moment: number) => boolean): number {
    let low = 0;
    let high = this.#moments.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isIn(this.#moments[middle]!)) low = middle + 1;
      else high = middle;
    }
    return this.#sums[low]!;
  }
}

/** How much was charged within the `window` milliseconds before a decision. */
export type ChargedBefore = (
  decision: { readonly sent: number; readonly answered: number },
  window: number,
) => CountBounds;

/** Makes charges ready for being asked about many decisions. */
export const chargedBefore = (charges: readonly Charge[]): ChargedBefore => {
  const surelyBy = new CumulativeSums(charges.map(({ until, least }) => [until, least]));
  const surelyFrom = new CumulativeSums(charges.map(({ from, least }) => [from, least]));
  const maybeBy = new CumulativeSums(charges.map(({ until, most }) => [until, most]));
  const maybeFrom = new CumulativeSums(charges.map(({ from, most }) => [from, most]));
  const longest = charges.reduce((most, { from, until }) => Math.max(most, until - from), 0);
  const straddling = (begin: number, end: number): number =>
    // What began before the window and was still under way at its end belongs to neither sum.
    end - begin > longest
      ? 0
      : charges
          .filter(({ from, until }) => from < begin && until >= end)
          .reduce((sum, { least }) => sum + least, 0);
  return ({ sent, answered }, window) => {
    const begin = answered - window;
    const least =
      begin > sent ? 0 : surelyBy.before(sent) - surelyFrom.before(begin) + straddling(begin, sent);
    return { least, most: maybeFrom.upTo(answered) - maybeBy.before(sent - window) };
  };
};
