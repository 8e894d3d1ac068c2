import type { LimitFinding } from './limit-log.ts';

/** Bounds of a number that cannot be observed directly. */
export interface CountBounds {
  readonly least: number;
  readonly most: number;
}

/** Whether ever more was admitted than any limiter of the rule admits in a span of that length. */
export interface EnvelopeFact {
  /** `refuted`: certainly more. */
  readonly finding: LimitFinding;
  /** The span, in ms, that exceeds its bound most; `null` if none certainly does. */
  readonly worst: {
    readonly span: number;
    readonly admitted: number;
    readonly allowed: number;
  } | null;
}

/** A burst from an idle key: instants in ms, and the part of it that is furthest above what is allowed. */
export interface BurstFact {
  readonly begin: number;
  readonly span: number;
  /** Whether the key was certainly idle for a window before. */
  readonly isAfterIdle: boolean;
  readonly admitted: number;
  readonly allowed: number;
}

/** What was decided of requests that certainly came no faster than the even rate. */
export interface EvenFact {
  readonly paced: number;
  /** Those that were refused, as indexes in the decisions on requests of every kind. */
  readonly refusals: readonly number[];
  /** A lower limit than this would have refused some of them; `null` if they were too few. */
  readonly seenLimit: number | null;
}

/** What was admitted under a load that always asked for more. */
export interface SustainedFact {
  /** Until the last request was sent, or the last admitted one was answered. */
  readonly windows: number;
  readonly offered: number;
  readonly admitted: number;
  /** Requests that a limiter without any burst admits. */
  readonly spaced: number;
  /** Bounds of the admitted requests per window, for any limiter; `most` is `null` if the load can have been lower than the limit. */
  readonly rate: { readonly least: number; readonly most: number | null };
  /** Whether it is less than the limit, which a limiter of the rule can admit that counts refusals. */
  readonly isLow: boolean;
  /** Whether it is less than any limiter of the rule admits, since this one certainly does not count refusals. */
  readonly isShort: boolean;
}

/** What a log proves about a limit for any limiter. */
export interface LimitFacts {
  /** Within one window. */
  readonly mostAdmitted: CountBounds;
  /** Whether more than the limit was admitted within one window, which fixed windows and buckets may. */
  readonly overAdmitted: LimitFinding;
  readonly envelope: EnvelopeFact;
  readonly burst: { readonly bursts: readonly BurstFact[]; readonly isExceeded: boolean };
  readonly even: EvenFact;
  readonly sustained: SustainedFact | null;
  /** Whether a request was refused although fewer than the limit had been admitted in the two windows before it. */
  readonly refusedWithRoom: LimitFinding;
  /** The proved cases, as indexes in the log. */
  readonly refusalsWithRoom: readonly number[];
  /** Whether a request was refused although nothing had been admitted in the window before it. */
  readonly lockedOut: LimitFinding;
}
