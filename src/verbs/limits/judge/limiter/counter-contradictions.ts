import type { DecisionHistory } from '../../../../judge/limits/limiter/decision-history.ts';
import { countBefore } from '../../../../judge/limits/facts/count-instants.ts';
import { middleOf } from '../../../../judge/limits/limiter/decision-history.ts';

/** A grid of windows. Lengths and instants in ms. */
export interface CounterGrid {
  readonly window: number;
  readonly phase: number;
}

/**
 * How many decisions weighted counters on a grid contradict, at each limit from 0 to the largest one: with `room` what
 * must be left of the limit, more than 0 or at least 1.
 */
export interface ContradictedByLimit {
  readonly some: Int32Array;
  readonly whole: Int32Array;
}

/** Absorbs the rounding of a weighted count, in requests. */
const rounding = 1e-9;

/** The limits from 0 to `largest` that a value of each decision rules out: admissions the lower ones, refusals the higher ones. */
class RuledOut {
  readonly #changes: Int32Array;

  constructor(largest: number) {
    this.#changes = new Int32Array(largest + 2);
  }

  #placeOf(limit: number): number {
    return Math.min(Math.max(limit, 0), this.#changes.length - 1);
  }

  /** An admission is contradicted by every limit up to this one. */
  upTo(limit: number): void {
    this.#changes[0]! += 1;
    this.#changes[this.#placeOf(limit + 1)]! -= 1;
  }

  /** A refusal is contradicted by every limit above this one. */
  above(limit: number): void {
    this.#changes[this.#placeOf(limit + 1)]! += 1;
  }

  counts(): Int32Array {
    const counts = this.#changes.slice(0, -1);
    for (let limit = 1; limit < counts.length; limit += 1) counts[limit]! += counts[limit - 1]!;
    return counts;
  }
}

/** What weighted counters hold at the moments of a log's decisions: the current window, and the older one by the share that still overlaps. */
class CounterUsage {
  readonly #middles: Float64Array;
  readonly #grid: CounterGrid;
  /** The number of the current window, where it begins, and what was admitted before and in the older one. */
  #current = Number.NaN;
  #begin = 0;
  #beforeCurrent = 0;
  #older = 0;

  constructor(middles: Float64Array, grid: CounterGrid) {
    this.#middles = middles;
    this.#grid = grid;
  }

  /** The number of the window that a moment is in. */
  windowOf(moment: number): number {
    const { window, phase } = this.#grid;
    return Math.floor((moment - phase) / window);
  }

  at(admitted: number, moment: number, current = this.windowOf(moment)): number {
    const { window, phase } = this.#grid;
    // Decisions come in order, so most are in the window of the one before.
    if (current !== this.#current) {
      this.#current = current;
      this.#begin = current * window + phase;
      this.#beforeCurrent = countBefore(this.#middles, this.#begin);
      this.#older = this.#beforeCurrent - countBefore(this.#middles, this.#begin - window);
    }
    return this.#older * (1 - (moment - this.#begin) / window) + (admitted - this.#beforeCurrent);
  }

  /** The least at the moments that a decision can have been made, from the first to the last, or the most. */
  extremeAt(admitted: number, moments: Float64Array, isLeast: boolean): number {
    const [first, last] = [moments[0]!, moments[moments.length - 1]!];
    const current = this.windowOf(first);
    // Within a window it only falls.
    if (current === this.windowOf(last)) return this.at(admitted, isLeast ? last : first, current);
    let extreme = isLeast ? Infinity : Number.NEGATIVE_INFINITY;
    for (const moment of moments) {
      const held = this.at(admitted, moment);
      extreme = isLeast ? Math.min(extreme, held) : Math.max(extreme, held);
    }
    return extreme;
  }
}

/** A decision with the moments at which it can have been made, in their order, and the number admitted before. */
interface CountedDecision {
  readonly moments: Float64Array;
  readonly before: number;
  readonly admitted: boolean;
}

/**
 * Replays the weighted counters of every limit at once. What a counter holds follows from what was admitted, whatever its
 * limit is, so each decision is right from some limit on, if it was admitted, and up to some limit, if it was refused: one
 * pass counts for every limit what a replay with that limit counts.
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
    const some = new RuledOut(largest);
    const whole = new RuledOut(largest);
    const usage = new CounterUsage(this.#middles, grid);
    for (const { moments, before, admitted } of this.#decisions) {
      const held = usage.extremeAt(before, moments, admitted);
      // The largest limits that refuse a request while so much is held.
      const refusing = Math.floor(held);
      const refusingWhole = Math.ceil(held + 1 - rounding) - 1;
      if (admitted) {
        some.upTo(refusing);
        whole.upTo(refusingWhole);
      } else {
        some.above(refusing);
        whole.above(refusingWhole);
      }
    }
    return { some: some.counts(), whole: whole.counts() };
  }
}
