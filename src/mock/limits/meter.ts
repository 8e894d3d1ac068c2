/** So many units (requests or tokens) within so many milliseconds. */
export interface MeterRule {
  readonly limit: number;
  readonly window: number;
  /** An instant at which a window of the wall clock begins. */
  readonly phase: number;
  /** What a bucket that holds less than the limit holds. */
  readonly burst: number;
  /** How often a window's refill comes. */
  readonly steps: number;
}

/** How full an allowance is: whole units left, never negative, and the instant at which all of it is back. */
export interface MeterLevel {
  readonly remaining: number;
  readonly resetAt: number;
}

/**
 * Counts the units of one limit of one key. Instants are milliseconds on one monotonic clock and never
 * run backwards from call to call. Another algorithm is another row of `meters.ts`.
 */
export interface Meter {
  /** Whether `amount` more units fit now; where the number is not known yet (0), at least one must be left. */
  fits(now: number, amount: number): boolean;
  /**
   * Counts units, also past the limit where their number was not known before; a negative amount gives
   * back what was counted and not used. Returns the instant at which they are let through.
   */
  count(now: number, amount: number): number;
  /**
   * The instant from which `amount` units fit if nobody else uses any: now where they do already. Of
   * more than ever fits, the instant at which all that may be used is there.
   */
  fitsAt(now: number, amount: number): number;
  /** Learns of a request that was refused. */
  onRefused(now: number): void;
  level(now: number): MeterLevel;
}

/** Sums and quotients of fractions are off in the last digits only: what lacks no more than this lacks nothing. */
export const roundingTolerance = 1e-9;

/** How many whole lengths fit between two instants. */
export const wholePeriods = (from: number, to: number, length: number): number =>
  Math.floor((to - from) / length + roundingTolerance);

/** What at least must fit: a request of unknown cost costs something. */
export const atLeastOne = (amount: number): number => Math.max(1, amount);

export const noop = (): void => undefined;
