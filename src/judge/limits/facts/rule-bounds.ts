import type { LimitFinding, LimitRule } from '../../../model/limits/limit-log.ts';

/**
 * Returns how far a gateway's window may differ from the declared window, in ms, if the gateway counts whole seconds.
 */
export const windowTolerance = (window: number): number => Math.min(1000, window / 10);

/**
 * Returns the shortest span that `windows` consecutive windows can fill, in ms. A gateway that counts whole seconds can
 * end a window up to a second early. The next window then starts at a whole second, so all windows together lose at
 * most one second.
 */
export const shortestSpan = (window: number, windows: number): number =>
  windows * window - Math.min(1000, window / 4);

export const shortestWindow = (window: number): number => window - windowTolerance(window);

export const longestWindow = (window: number): number => window + windowTolerance(window);

/** Returns the idle time after which no limiter remembers a request, in ms. Weighted counters remember two windows. */
export const limiterMemory = ({ window }: LimitRule): number => 2 * longestWindow(window);

/**
 * Returns the rate, in requests per ms, at which every limiter that keeps the rule admits evenly sent requests. The
 * rate is the limit minus one request, divided by the longest tolerated window. At the full rate, a weighted counter
 * would refuse some requests, since such a counter rounds, or counts a request before the comparison. For a limit of
 * one, the rate is one request in two windows.
 */
export const evenRate = ({ limit, window }: LimitRule): number =>
  Math.max(limit - 1, limit / 2) / longestWindow(window);

export const findingOf = (proved: boolean, refuted: boolean): LimitFinding =>
  refuted ? 'refuted' : proved ? 'proved' : 'undecided';
