import type { LimitFinding } from './limit-log.ts';

export interface CountBounds {
  readonly least: number;
  readonly most: number;
}

/** Whether some span had more admissions than any limiter of the rule allows. */
export interface EnvelopeFact {
  readonly finding: LimitFinding;
  /** The span that exceeds its bound most, in ms; `null` if none certainly does. */
  readonly worst: {
    readonly span: number;
    readonly admitted: number;
    readonly allowed: number;
  } | null;
}

/** The part of a burst that is furthest above what is allowed. Instants in ms. */
export interface BurstFact {
  readonly begin: number;
  readonly span: number;
  /** Whether the key was certainly idle for a window before the burst. */
  readonly isAfterIdle: boolean;
  readonly admitted: number;
  readonly allowed: number;
}

/** What happened to requests that certainly came no faster than the even rate. */
export interface EvenFact {
  readonly paced: number;
  /** The refused ones, as indexes in the decisions on requests of every kind. */
  readonly refusals: readonly number[];
  /** The lowest limit that would have refused none of them; `null` if they were too few to show it. */
  readonly seenLimit: number | null;
}

/** What was admitted of a load that always asked for more. */
export interface SustainedFact {
  /** The length of the load in windows, to the last request sent or the last admitted one answered. */
  readonly windows: number;
  readonly offered: number;
  readonly admitted: number;
  /** What a limiter without any burst admits of the load. */
  readonly spaced: number;
  /** Admitted requests per window, for any limiter; `most` is `null` if the load can have been below the limit. */
  readonly rate: { readonly least: number; readonly most: number | null };
  /** Whether the rate is below the limit. A limiter that counts refusals may admit so little. */
  readonly isLow: boolean;
  /** Whether this limiter certainly counts no refusals, and yet admits less than any such limiter of the rule. */
  readonly isShort: boolean;
}

/** What a log proves about a limit, whatever the limiter is. */
export interface LimitFacts {
  /** The most admitted within one window. */
  readonly mostAdmitted: CountBounds;
  /** Whether more than the limit was admitted within one window, as fixed windows and buckets may do. */
  readonly overAdmitted: LimitFinding;
  readonly envelope: EnvelopeFact;
  readonly burst: { readonly bursts: readonly BurstFact[]; readonly isExceeded: boolean };
  readonly even: EvenFact;
  readonly sustained: SustainedFact | null;
  /** Whether a request was refused although the two windows before it had room. */
  readonly refusedWithRoom: LimitFinding;
  /** The cases of which that is certain, as indexes in the log. */
  readonly refusalsWithRoom: readonly number[];
  /** Whether a request was refused although nothing was admitted in the window before it. */
  readonly lockedOut: LimitFinding;
}
