import type { DecisionHistory } from '../../../../judge/limits/limiter/decision-history.ts';
import { countBefore } from '../../../../judge/limits/facts/count-instants.ts';
import { middleOf } from '../../../../judge/limits/limiter/decision-history.ts';

/** A grid of equal windows: one begins at `phase`, and the others whole windows before and after it. In ms. */
export interface CounterGrid {
  readonly window: number;
  readonly phase: number;
}

/**
 * The numbers of decisions that weighted counters contradict, by their limit. A counter admits a request if the limit
 * minus its weighted count is above 0 (`some`), or at least 1 (`whole`).
 */
interface ContradictedByLimit {
  readonly some: Int32Array;
  readonly whole: Int32Array;
}

/** The tolerance for rounding errors of a weighted count, in requests. */
const roundingTolerance = 1e-9;

/** Counts the decisions that each limit from 0 to `largest` contradicts, as changes from each limit to the next. */
class LimitContradictions {
  readonly #changes: Int32Array;

  constructor(largest: number) {
    this.#changes = new Int32Array(largest + 2);
  }

  #placeOf(limit: number): number {
    return Math.min(Math.max(limit, 0), this.#changes.length - 1);
  }

  /** Counts an admission that every limit up to this one contradicts. */
  addUpTo(limit: number): void {
    this.#changes[0]! += 1;
    this.#changes[this.#placeOf(limit + 1)]! -= 1;
  }

  /** Counts a refusal that every limit above this one contradicts. */
  addAbove(limit: number): void {
    this.#changes[this.#placeOf(limit + 1)]! += 1;
  }

  counts(): Int32Array {
    const counts = this.#changes.slice(0, -1);
    for (let limit = 1; limit < counts.length; limit += 1) counts[limit]! += counts[limit - 1]!;
    return counts;
  }
}

/**
 * Computes the weighted count at any moment: the admissions of the current window, plus a share of the window before.
 * Example: a quarter into a window the 40 admissions of the window before weigh 30.
 */
class CounterUsage {
  readonly #middles: Float64Array;
  readonly #grid: CounterGrid;
  /** The number of the window that the fields below describe. */
  #current = Number.NaN;
  /** The start of the current window, in ms. */
  #begin = 0;
  /** The requests admitted before the current window. */
  #beforeCurrent = 0;
  /** The requests admitted in the window before the current one. */
  #older = 0;

  constructor(middles: Float64Array, grid: CounterGrid) {
    this.#middles = middles;
    this.#grid = grid;
  }

  /** Returns the number of the window that contains a moment. */
  windowOf(moment: number): number {
    const { window, phase } = this.#grid;
    return Math.floor((moment - phase) / window);
  }

  at(admitted: number, moment: number, current = this.windowOf(moment)): number {
    const { window, phase } = this.#grid;
    // Decisions come in order of time, so most are in the same window as the one before.
    if (current !== this.#current) {
      this.#current = current;
      this.#begin = current * window + phase;
      this.#beforeCurrent = countBefore(this.#middles, this.#begin);
      this.#older = this.#beforeCurrent - countBefore(this.#middles, this.#begin - window);
    }
    return this.#older * (1 - (moment - this.#begin) / window) + (admitted - this.#beforeCurrent);
  }

  /** Returns the smallest (`isLeast`) or largest count at the moments at which a decision can have been made. */
  extremeAt(admitted: number, moments: Float64Array, isLeast: boolean): number {
    const [first, last] = [moments[0]!, moments[moments.length - 1]!];
    const current = this.windowOf(first);
    // Within a window the weighted count only falls until the next admission.
    if (current === this.windowOf(last)) return this.at(admitted, isLeast ? last : first, current);
    let extreme = isLeast ? Infinity : Number.NEGATIVE_INFINITY;
    for (const moment of moments) {
      const held = this.at(admitted, moment);
      extreme = isLeast ? Math.min(extreme, held) : Math.max(extreme, held);
    }
    return extreme;
  }
}

/** A decision, the ascending moments at which it can have been made, and the number of requests admitted before it. */
interface CountedDecision {
  readonly moments: Float64Array;
  readonly before: number;
  readonly admitted: boolean;
}

/**
 * Counts the decisions that weighted counters contradict, for all limits in one pass, since the count at a decision
 * does not depend on the limit. An admission fits every limit from some value on, a refusal every limit up to one.
 * Example (`some`): at a count of 7.4 a limit of 7 refuses and one of 8 admits. So an admission contradicts all limits
 * up to 7, and a refusal all from 8 on.
 */
export class CounterContradictions {
  readonly #middles: Float64Array;
  readonly #decisions: readonly CountedDecision[];

  constructor({ decisions, priors, middles, slack }: DecisionHistory) {
    this.#middles = middles;
    this.#decisions = decisions.map((decision, place) => {
      const { sent, answered, admitted } = decision;
      return {
        moments: Float64Array.of(
          sent - slack,
          sent,
          middleOf(decision),
          answered,
          answered + slack,
        ),
        before: priors[place]!.admitted,
        admitted,
      };
    });
  }

  on(grid: CounterGrid, largest: number): ContradictedByLimit {
    const some = new LimitContradictions(largest);
    const whole = new LimitContradictions(largest);
    const usage = new CounterUsage(this.#middles, grid);
    for (const { moments, before, admitted } of this.#decisions) {
      const held = usage.extremeAt(before, moments, admitted);
      // The largest limits at which a counter refuses a request while it holds `held`.
      const refusing = Math.floor(held);
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
  }
}
