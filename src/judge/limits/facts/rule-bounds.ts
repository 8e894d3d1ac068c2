import type { LimitFinding, LimitRule } from '../../../model/limits/limit-log.ts';

/** The share of a window by which a gateway may miss it, if that is less than a second. */
const toleratedShare = 0.1;

/**
 * By how many ms a window may be shorter or longer than declared: gateways count in whole seconds. A
 * window of a few seconds may differ by a tenth.
 */
export const windowTolerance = (window: number): number => Math.min(1000, window * toleratedShare);

/**
 * The shortest span in ms that so many adjacent windows fill. A gateway that counts in whole seconds ends
 * a window up to a second early, but the next one then starts at a whole second: the windows lose no
 * more than one second together.
 */
export const shortestSpan = (window: number, windows: number): number =>
  windows * window - Math.min(1000, window / 4);

export const shortestWindow = (window: number): number => window - windowTolerance(window);

export const longestWindow = (window: number): number => window + windowTolerance(window);

/** The idle time in ms after which no limiter remembers a request: two counters of adjacent windows remember longest. */
export const limiterMemory = ({ window }: LimitRule): number => 2 * longestWindow(window);

/**
 * The requests per ms that every limiter of the rule admits if they come evenly. One request of the
 * limit is spared: a weighted counter that rounds, or that adds the request before it compares, refuses
 * at the full rate. A limit of one would leave nothing; such a limiter admits one in two windows.
 */
export const evenRate = ({ limit, window }: LimitRule): number =>
  Math.max(limit - 1, limit / 2) / longestWindow(window);

/** A claim that one counterexample refutes. */
export const findingOf = (proved: boolean, refuted: boolean): LimitFinding =>
  refuted ? 'refuted' : proved ? 'proved' : 'undecided';
