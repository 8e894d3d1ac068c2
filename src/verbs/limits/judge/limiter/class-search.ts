import type { LimiterClass } from '../../../../model/limits/limit-log.ts';
import { milliseconds } from '../../../../model/quantity.ts';
import {
  type DecisionHistory,
  sampleOf,
} from '../../../../judge/limits/limiter/decision-history.ts';
import {
  type LimiterParameters,
  otherCandidates,
} from '../../../../judge/limits/limiter/limiter-candidates.ts';
import { ContradictionCount } from '../../../../judge/limits/limiter/replay-class.ts';

/**
 * Returns the fewest decisions that any limiter of a class with this limit and window contradicts; infinite if more
 * than `most`.
 */
export type Score = (limit: number, window: number, most: number) => number;

/** Decides whether some limiter of a class with this limit and window contradicts at most `most` decisions. */
export type Explains = (limit: number, window: number, most: number) => boolean;

/** The resolution of a search. */
interface SearchResolution {
  /** The distance between two replayed decisions: 1 replays all, 2 every second one. */
  readonly every: number;
  /** The distance between two phases that are tried, as a share of the window. */
  readonly apart: number;
}

/**
 * Searches the limiters of one class for the one that contradicts the fewest decisions. If `every` is above 1, the
 * counts are estimates from a sample.
 */
export class ClassSearch {
  readonly #name: LimiterClass;
  readonly #resolution: SearchResolution;
  readonly #counts: readonly {
    readonly history: DecisionHistory;
    readonly count: ContradictionCount;
  }[];

  constructor(
    name: LimiterClass,
    histories: readonly DecisionHistory[],
    resolution: SearchResolution,
  ) {
    this.#name = name;
    this.#resolution = resolution;
    this.#counts = histories.map((history) => ({
      history,
      count: new ContradictionCount(name, sampleOf(history, resolution.every)),
    }));
  }

  readonly score: Score = (limit, window, most) => {
    const { every } = this.#resolution;
    const fewest = this.#counts.reduce((least, { history, count }) => {
      const tried = this.#candidates(history, limit, window);
      return Math.min(least, count.fewest(tried, Math.min(Math.ceil(most / every), least - 1)));
    }, Infinity);
    return fewest * every;
  };

  readonly explains: Explains = (limit, window, most) =>
    this.#counts.some(({ history, count }) =>
      count.isAtMost(this.#candidates(history, limit, window), most / this.#resolution.every),
    );

  #candidates(
    history: DecisionHistory,
    limit: number,
    window: number,
  ): readonly LimiterParameters[] {
    const rule = { limit, window: milliseconds(window) };
    return otherCandidates(this.#name, history, rule, this.#resolution.apart * window);
  }
}
