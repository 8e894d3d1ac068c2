import type { LimiterClass } from './limit-log.ts';

/** A fitted number: the best value, and the interval of values that explain the log equally well. */
export interface Fitted {
  readonly value: number;
  readonly least: number;
  readonly most: number;
}

/** How well the best limiter of a class explains a log. */
export interface LimiterFit {
  readonly limiter: LimiterClass;
  readonly limit: Fitted;
  /** In ms. */
  readonly window: Fitted;
  /** Only those of the class: phase, burst, steps, delay, penalty, secondLimit, secondWindow. */
  readonly parameters: Readonly<Record<string, Fitted>>;
  /**
   * The smallest number of decisions that must be taken back so that one assignment of instants within
   * all intervals makes all others right together.
   */
  readonly wrong: number;
  /** Natural logarithm, with the estimated rate of arbitrary decisions. */
  readonly logLikelihood: number;
}

/** The limiter behind a log, as far as the log names it. */
export interface LimiterIdentification {
  /** `null` if no class explains the log. */
  readonly best: LimiterFit | null;
  /** Other classes that the log does not distinguish from the best. */
  readonly ties: readonly LimiterFit[];
  readonly runnerUp: LimiterFit | null;
  readonly decisions: number;
  /** The estimated share of arbitrary decisions. */
  readonly errorRate: number;
  /** All classes, the best first. */
  readonly ranking: readonly LimiterFit[];
  /** The decisions that distinguish the best from the runner-up, as indexes in the log. */
  readonly distinguishing: readonly number[];
}
