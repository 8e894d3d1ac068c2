import type { LimitFinding, LimitCheck, LimiterClass, LimitLog } from './limit-log.ts';

/** CountBounds of a number that cannot be seen itself: it is at least `least` and at most `most`. */
export interface CountBounds {
  readonly least: number;
  readonly most: number;
}

/**
 * What a log proves about a limit whatever the limiter is. None of these facts is a fault by itself:
 * a fixed window admits up to twice its limit across its boundary, a sliding counter refuses with
 * room left. Faults are what no permitted class explains.
 */
export interface LimitFacts {
  /** The most that was admitted within one window, wherever it lies. */
  readonly mostAdmitted: CountBounds;
  /** More than the limit was admitted within one window. */
  readonly overAdmitted: LimitFinding;
  /** A request was refused although fewer than the limit had been admitted in the window before it. */
  readonly refusedWithRoom: LimitFinding;
  /** Refusals for which that is proved, as places in the log. */
  readonly refusalsWithRoom: readonly number[];
  /** A request was refused although nothing had been admitted in the window before it. */
  readonly lockedOut: LimitFinding;
}

/** How well the best limiter of one class explains a log. */
export interface LimiterFit {
  readonly limiter: LimiterClass;
  readonly limit: number;
  /** Decisions that it cannot have made at any moment that is possible. */
  readonly wrong: number;
  /** Breaks ties: the larger, the less likely. */
  readonly unlikely: number;
  /** Where its windows or steps begin, what its bucket holds, in how many steps it is refilled; `null` where it has no such thing. */
  readonly phase: number | null;
  readonly burst: number | null;
  readonly steps: number | null;
}

/** Which limiter made the decisions of a log. */
export interface LimiterIdentification {
  /** The limiter that explains the log best; `null` when none fits. */
  readonly best: LimiterFit | null;
  /** The best of the other classes. */
  readonly runnerUp: LimiterFit | null;
  /** How many decisions were replayed, and how many wrong predictions still pass for a fit. */
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
  /** Replayed with the limit that was seen instead, where the declared one explains nothing and another one does. */
  readonly seen: LimiterIdentification | null;
  readonly checks: readonly LimitCheck[];
  /** Whether a limit is violated: exit 14. */
  readonly violated: boolean;
}

/** Everything that `weir limits` leaves behind. */
export interface LimitReport {
  readonly format: 'limits/1';
  readonly weir: string;
  readonly target: string;
  /** ISO 8601, UTC; the log's instants count from here. */
  readonly startedAt: string;
  readonly model: string;
  /** How long it took, in ms. */
  readonly took: number;
  readonly log: LimitLog;
  readonly judgement: LimitJudgement;
}
