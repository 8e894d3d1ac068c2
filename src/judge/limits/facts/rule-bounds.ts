import type { LimitFinding, LimitRule } from '../../../model/limits/limit-log.ts';

/** The maximum error of a window, as a share of its length. The error is also at most one second. */
const toleratedShare = 0.1;

/**
 * Returns the time by which a window may be shorter or longer than declared, in ms. Gateways count in whole seconds, so
 * it is one second; for windows below ten seconds it is a tenth.
 */
export const windowTolerance = (window: number): number => Math.min(1000, window * toleratedShare);

/**
 * Returns the shortest span that `windows` adjacent windows fill, in ms. A gateway that counts in whole seconds ends a
 * window up to a second early, but the next one then starts at a whole second. So adjacent windows lose no more than
 * one second in total.
 */
export const shortestSpan = (window: number, windows: number): number =>
  windows * window - Math.min(1000, window / 4);

export const shortestWindow = (window: number): number => window - windowTolerance(window);

export const longestWindow = (window: number): number => window + windowTolerance(window);

/**
 * Returns the idle time after which no limiter remembers a request, in ms. Weighted counters of adjacent windows
 * remember longest.
 */
export const limiterMemory = ({ window }: LimitRule): number => 2 * longestWindow(window);

/**
 * Returns the rate, in requests per ms, that every limiter of the rule admits if requests come evenly: limit − 1 in the
 * longest tolerated window. At the full rate a weighted counter that rounds, or that adds the request before it
 * compares, refuses some. For a limit of one the rate is one request in two windows, which such a counter admits.
 */
export const evenRate = ({ limit, window }: LimitRule): number =>
  Math.max(limit - 1, limit / 2) / longestWindow(window);

/** Returns the finding on a claim that one counterexample refutes. */
export const findingOf = (proved: boolean, refuted: boolean): LimitFinding =>
  refuted ? 'refuted' : proved ? 'proved' : 'undecided';
