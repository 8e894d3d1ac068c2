import type { LimitFinding } from './limit-log.ts';

export interface CountBounds {
  readonly least: number;
  readonly most: number;
}

/** Says whether, in some span of time, a limiter admitted more requests than the rule allows. */
export interface EnvelopeFact {
  readonly finding: LimitFinding;
  /**
   * The span of time, in ms, whose admissions exceed the allowed number by the largest factor; `null` if no span
   * certainly has too many admissions.
   */
  readonly worst: {
    readonly span: number;
    readonly admitted: number;
    readonly allowed: number;
  } | null;
}

/**
 * The start of a burst, up to where the admissions exceed the allowed number the most. Instants and spans are in ms.
 */
export interface BurstFact {
  readonly begin: number;
  readonly span: number;
  /** Whether the key was certainly idle for one window before the burst. */
  readonly isAfterIdle: boolean;
  readonly admitted: number;
  readonly allowed: number;
}

/** What happened to requests that were certainly sent no faster than an evenly spread limit allows. */
export interface EvenFact {
  readonly paced: number;
  /** The refused among these requests, as indexes into the decisions on all requests. */
  readonly refusals: readonly number[];
  /** Any limit below this would have refused some of these requests; `null` if too few of them were sent. */
  readonly seenLimit: number | null;
}

/** The refusals of a key just after two idle windows. */
export interface IdleFact {
  /** The number of times that the key was idle for two windows. */
  readonly times: number;
  /** The refused requests, as indexes into the decisions on all requests. */
  readonly refusals: readonly number[];
}

/** The admissions under a load that was always above the limit. */
export interface SustainedFact {
  /**
   * The length of the load, in windows. The load ends with its last sent request, or with the answer to its last
   * admitted request if that answer comes later.
   */
  readonly windows: number;
  readonly offered: number;
  readonly admitted: number;
  /** How many of the load's requests a limiter without bursts would admit. */
  readonly spaced: number;
  /**
   * How many requests per window were admitted, as bounds that are valid for any limiter. `most` is `null` if the load
   * may have been below the limit.
   */
  readonly rate: { readonly least: number; readonly most: number | null };
  /**
   * Whether the rate is below the limit. A limiter that also counts refused requests may admit requests at a rate below
   * the limit.
   */
  readonly isLow: boolean;
  /**
   * Whether the limiter admits fewer requests than a limiter without bursts, although it certainly ignores refused
   * requests.
   */
  readonly isShort: boolean;
}

export interface LimitFacts {
  /** How many requests were admitted at most within one window, as a lower and an upper bound. */
  readonly mostAdmitted: CountBounds;
  /**
   * Whether more requests than the limit were admitted within one window. This is no violation by itself: fixed windows
   * and token buckets can admit more.
   */
  readonly overAdmitted: LimitFinding;
  readonly envelope: EnvelopeFact;
  readonly burst: { readonly bursts: readonly BurstFact[]; readonly isExceeded: boolean };
  readonly even: EvenFact;
  readonly idle: IdleFact;
  readonly sustained: SustainedFact | null;
  /**
   * Whether a request was refused although, in the two windows before the refusal, fewer requests than the limit were
   * admitted.
   */
  readonly refusedWithRoom: LimitFinding;
  /** The requests that were certainly refused although there was room (`refusedWithRoom`), as indexes into the log. */
  readonly refusalsWithRoom: readonly number[];
  /** Whether a request was refused although no request was admitted in the window before the refusal. */
  readonly lockedOut: LimitFinding;
}
