import type { LimitFinding } from './limit-log.ts';

export interface CountBounds {
  readonly least: number;
  readonly most: number;
}

/** Whether any span had more admissions than the limiters of the rule allow. */
export interface EnvelopeFact {
  readonly finding: LimitFinding;
  /** The span that exceeds its bound most, in ms; `null` if none certainly exceeds it. */
  readonly worst: {
    readonly span: number;
    readonly admitted: number;
    readonly allowed: number;
  } | null;
}

/** The part of a burst that exceeds the allowed number most. Instants are in ms. */
export interface BurstFact {
  readonly begin: number;
  readonly span: number;
  /** Whether the key was certainly idle for a window before the burst. */
  readonly isAfterIdle: boolean;
  readonly admitted: number;
  readonly allowed: number;
}

/** The outcome of requests that certainly came no faster than the even rate. */
export interface EvenFact {
  readonly paced: number;
  /** The refused requests, as indexes in the decisions on requests of every kind. */
  readonly refusals: readonly number[];
  /** The lowest limit that would have refused none of these requests; `null` if there were too few to show it. */
  readonly seenLimit: number | null;
}

/** The refusals of a key that was idle for two windows. */
export interface IdleFact {
  /** How often the key was idle for so long. */
  readonly times: number;
  /** The refused requests, as indexes in the decisions on requests of every kind. */
  readonly refusals: readonly number[];
}

/** The admissions under a load that always asked for more than the limit. */
export interface SustainedFact {
  /** The length of the load in windows, until the last request was sent or the last admitted one was answered. */
  readonly windows: number;
  readonly offered: number;
  readonly admitted: number;
  /** The number of requests of the load that a limiter without any burst admits. */
  readonly spaced: number;
  /** The admitted requests per window, for any limiter; `most` is `null` if the load may have been below the limit. */
  readonly rate: { readonly least: number; readonly most: number | null };
  /** Whether the rate is below the limit. A limiter that counts refusals may admit this little. */
  readonly isLow: boolean;
  /** Whether this limiter certainly ignores refusals but admits less than any such limiter of the rule. */
  readonly isShort: boolean;
}

/** The facts that a log proves about a limit, whatever the limiter is. */
export interface LimitFacts {
  /** The highest number of admissions within one window. */
  readonly mostAdmitted: CountBounds;
  /** Whether more than the limit was admitted within one window, as fixed windows and buckets may allow. */
  readonly overAdmitted: LimitFinding;
  readonly envelope: EnvelopeFact;
  readonly burst: { readonly bursts: readonly BurstFact[]; readonly isExceeded: boolean };
  readonly even: EvenFact;
  readonly idle: IdleFact;
  readonly sustained: SustainedFact | null;
  /** Whether a request was refused although the two windows before it had room. */
  readonly refusedWithRoom: LimitFinding;
  /** The refusals for which that is certain, as indexes in the log. */
  readonly refusalsWithRoom: readonly number[];
  /** Whether a request was refused although nothing was admitted in the window before it. */
  readonly lockedOut: LimitFinding;
}
