import type { DecisionHistory } from './decision-history.ts';
import { countBefore, middleOf } from './decision-history.ts';

/** A grid of windows. Lengths and instants in ms. */
export interface CounterGrid {
  readonly window: number;
  readonly phase: number;
}

/**
 * How many decisions weighted counters on a grid contradict, at each limit from 0 to the largest one: with `room` what
 * must be left of the limit, more than 0 or at least 1.
 */
export interface CounterContradictions {
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
  #begin = Number.NaN;
  #beforeCurrent = 0;
  #older = 0;

  constructor(middles: Float64Array, grid: CounterGrid) {
    this.#middles = middles;
    this.#grid = grid;
  }

  beginOf(moment: number): number {
    const { window, phase } = this.#grid;
    return Math.floor((moment - phase) / window) * window + phase;
  }

  at(admitted: number, moment: number): number {
    const { window } = this.#grid;
    const begin = this.beginOf(moment);
    // Decisions come in order, so most are in the window of the one before.
    if (begin !== this.#begin) {
      this.#begin = begin;
      this.#beforeCurrent = countBefore(this.#middles, begin);
      this.#older = this.#beforeCurrent - countBefore(this.#middles, begin - window);
    }
    return this.#older * (1 - (moment - begin) / window) + (admitted - this.#beforeCurrent);
  }

  /** The least at the moments that a decision can have been made, or the most. */
  extremeAt(admitted: number, moments: readonly number[], isLeast: boolean): number {
    const [first, last] = [moments[0]!, moments.at(-1)!];
    // Within a window it only falls.
    if (this.beginOf(first) === this.beginOf(last))
      return this.at(admitted, isLeast ? last : first);
    const held = moments.map((moment) => this.at(admitted, moment));
    return isLeast ? Math.min(...held) : Math.max(...held);
  }
}

/**
 * Replays the weighted counters of every limit at once. What a counter holds follows from what was admitted, whatever its
 * limit is, so each decision is right from some limit on, if it was admitted, and up to some limit, if it was refused: one
 * pass counts for every limit what a replay with that limit counts.
 */
export const counterContradictions = (
  { decisions, priors, middles, slack }: DecisionHistory,
  grid: CounterGrid,
  largest: number,
): CounterContradictions => {
  const some = new RuledOut(largest);
  const whole = new RuledOut(largest);
  const usage = new CounterUsage(middles, grid);
  for (const [place, decision] of decisions.entries()) {
    const { sent, answered, admitted } = decision;
    const moments = [sent - slack, sent, middleOf(decision), answered, answered + slack];
    const held = usage.extremeAt(priors[place]!.admitted, moments, admitted);
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
};
