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

/** How many decisions a class contradicts at the least with this limit and window; infinite if more than `most`. */
export type Score = (limit: number, window: number, most: number) => number;

/** Whether a class contradicts at most so many decisions with this limit and window. */
export type Explains = (limit: number, window: number, most: number) => boolean;

/** How closely decisions are looked at: one of so many, with phases so far apart, as a share of the window. */
interface Closeness {
  readonly every: number;
  readonly apart: number;
}

/** Looks for the best limiter of a class with some limit and window. What looks at a sample is an estimate. */
export class ClassSearch {
  readonly #name: LimiterClass;
  readonly #closeness: Closeness;
  readonly #counts: readonly {
    readonly history: DecisionHistory;
    readonly count: ContradictionCount;
  }[];

  constructor(name: LimiterClass, histories: readonly DecisionHistory[], closeness: Closeness) {
    this.#name = name;
    this.#closeness = closeness;
    this.#counts = histories.map((history) => ({
      history,
      count: new ContradictionCount(name, sampleOf(history, closeness.every)),
    }));
  }

  readonly score: Score = (limit, window, most) => {
    const { every } = this.#closeness;
    const fewest = this.#counts.reduce((least, { history, count }) => {
      const tried = this.#candidates(history, limit, window);
      return Math.min(least, count.fewest(tried, Math.min(Math.ceil(most / every), least - 1)));
    }, Infinity);
    return fewest * every;
  };

  readonly explains: Explains = (limit, window, most) =>
    this.#counts.some(({ history, count }) =>
      count.isAtMost(this.#candidates(history, limit, window), most / this.#closeness.every),
    );

  #candidates(
    history: DecisionHistory,
    limit: number,
    window: number,
  ): readonly LimiterParameters[] {
    const rule = { limit, window: milliseconds(window) };
    return otherCandidates(this.#name, history, rule, this.#closeness.apart * window);
  }
}
