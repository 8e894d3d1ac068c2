import type { LimitFinding } from './limit-log.ts';

export interface CountBounds {
  readonly least: number;
  readonly most: number;
}

/** Whether the requests that were admitted in some span of time exceed what the limiters of the rule allow. */
export interface EnvelopeFact {
  readonly finding: LimitFinding;
  /** The span of time whose admissions exceed the allowed number by most; `null` if no span certainly has too many. */
  readonly worst: {
    readonly span: number;
    readonly admitted: number;
    readonly allowed: number;
  } | null;
}

/** The part of a burst that exceeds the allowed number by most. Instants are in ms. */
export interface BurstFact {
  readonly begin: number;
  readonly span: number;
  /** Whether the key was certainly idle for one window before the burst. */
  readonly isAfterIdle: boolean;
  readonly admitted: number;
  readonly allowed: number;
}

/** What became of the requests that were certainly sent no faster than the evenly spread limit allows. */
export interface EvenFact {
  readonly paced: number;
  /** The refused requests, as indexes into the decisions on all requests. */
  readonly refusals: readonly number[];
  /**
   * The lowest limit that would have refused none of these requests; `null` if too few requests were sent to show it.
   */
  readonly seenLimit: number | null;
}

/** The refusals of a key just after it had been idle for two windows. */
export interface IdleFact {
  /** How often the key was idle for two windows. */
  readonly times: number;
  /** The refused requests, as indexes into the decisions on all requests. */
  readonly refusals: readonly number[];
}

/** The admissions under a load that requested more than the limit all the time. */
export interface SustainedFact {
  /**
   * The length of the load, in windows. The load ends when its last request is sent or its last admitted request is
   * answered.
   */
  readonly windows: number;
  readonly offered: number;
  readonly admitted: number;
  /** The number of the load's requests that a limiter admits if it allows no burst. */
  readonly spaced: number;
  /**
   * The bounds of the admitted requests per window, which hold for any limiter. `most` is `null` if the load may have
   * been below the limit.
   */
  readonly rate: { readonly least: number; readonly most: number | null };
  /** Whether the rate is below the limit. A limiter that also counts refused requests may admit so few. */
  readonly isLow: boolean;
  /**
   * Whether this limiter certainly ignores refused requests, and still admits fewer than any limiter of the rule that
   * ignores them.
   */
  readonly isShort: boolean;
}

export interface LimitFacts {
  /** The bounds of the highest number of admissions within one window. */
  readonly mostAdmitted: CountBounds;
  /** Whether more requests than the limit were admitted within one window, as fixed windows and buckets may do. */
  readonly overAdmitted: LimitFinding;
  readonly envelope: EnvelopeFact;
  readonly burst: { readonly bursts: readonly BurstFact[]; readonly isExceeded: boolean };
  readonly even: EvenFact;
  readonly idle: IdleFact;
  readonly sustained: SustainedFact | null;
  /**
   * Whether a request was refused although fewer requests than the limit had been admitted in the two windows before
   * it.
   */
  readonly refusedWithRoom: LimitFinding;
  /** The refusals of which `refusedWithRoom` is certain, as indexes into the log. */
  readonly refusalsWithRoom: readonly number[];
  /** Whether a request was refused although no request was admitted in the window before it. */
  readonly lockedOut: LimitFinding;
}
