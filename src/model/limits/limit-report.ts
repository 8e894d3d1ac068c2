import type { LimitFinding, LimitCheck, LimiterClass, LimitLog } from './limit-log.ts';

/** Bounds of a number that cannot be observed directly. */
export interface CountBounds {
  readonly least: number;
  readonly most: number;
}

/**
 * What a log proves about a limit for any limiter. None of these facts is a fault by itself: a fixed
 * window admits up to twice its limit across its boundary, a sliding counter refuses with room left.
 * Only decisions that no permitted class explains are faults.
 */
export interface LimitFacts {
  readonly mostAdmitted: CountBounds;
  /** Whether more than the limit was admitted within one window. */
  readonly overAdmitted: LimitFinding;
  /** Whether a request was refused although fewer than the limit had been admitted in the window before it. */
  readonly refusedWithRoom: LimitFinding;
  /** The proved cases, as indexes in the log. */
  readonly refusalsWithRoom: readonly number[];
  /** Whether a request was refused although nothing had been admitted in the window before it. */
  readonly lockedOut: LimitFinding;
}

/** How well the best limiter of a class explains a log. */
export interface LimiterFit {
  readonly limiter: LimiterClass;
  readonly limit: number;
  /** Decisions that it cannot have made at any possible moment. */
  readonly wrong: number;
  /** Breaks ties: larger is less likely. */
  readonly unlikely: number;
  /** Start of its windows or steps, size of its bucket, number of refill steps; `null` if the class has none. */
  readonly phase: number | null;
  readonly burst: number | null;
  readonly steps: number | null;
}

export interface LimiterIdentification {
  /** The limiter that explains the log best; `null` if none fits. */
  readonly best: LimiterFit | null;
  /** The best of the other classes. */
  readonly runnerUp: LimiterFit | null;
  /** The number of replayed decisions, and of wrong predictions that a fit can have. */
  readonly decisions: number;
  readonly tolerated: number;
  /** All classes, the best first. */
  readonly ranking: readonly LimiterFit[];
}

/** What an examination of a key's limits proves. */
export interface LimitJudgement {
  readonly facts: LimitFacts;
  /** Replayed with the declared limit. */
  readonly declared: LimiterIdentification;
  /** Replayed with the observed limit, if the declared one explains nothing and this one does. */
  readonly seen: LimiterIdentification | null;
  readonly checks: readonly LimitCheck[];
  readonly violated: boolean;
}

/** The result file of `weir limits`. */
export interface LimitReport {
  readonly format: 'limits/1';
  readonly weir: string;
  readonly target: string;
  /** ISO 8601, UTC; instant 0 of the log. */
  readonly startedAt: string;
  readonly model: string;
  /** Duration in ms. */
  readonly took: number;
  readonly log: LimitLog;
  readonly judgement: LimitJudgement;
}
