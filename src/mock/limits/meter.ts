/** A limit: at most `limit` units (requests or tokens) in `window` milliseconds. */
export interface MeterRule {
  readonly limit: number;
  readonly window: number;
  /** A time at which a window of the wall clock begins. */
  readonly phase: number;
  /** How many units a `burst-bucket` holds, which may be less than the limit. */
  readonly burst: number;
  readonly steps: number;
}

/** How many whole units remain, never less than 0, and when all units will be available again. */
export interface MeterLevel {
  readonly remaining: number;
  readonly resetAt: number;
}

/**
 * Counts the units of one limit of one key. Times are in ms on one clock, and must never decrease from call to call.
 */
export interface Meter {
  /**
   * Returns whether `amount` more units fit. An `amount` of 0 means that the amount is unknown. Then at least one unit
   * must be left.
   */
  fits(now: number, amount: number): boolean;
  /**
   * Counts units, and returns the time at which the units are admitted. A negative amount gives back units that were
   * reserved but not used.
   */
  count(now: number, amount: number): number;
  /**
   * Returns from which time on `amount` units fit if no other request comes. For an amount that never fits, returns the
   * time from which all units are free.
   */
  fitsAt(now: number, amount: number): number;
  onRefused(now: number): void;
  /** Returns the remaining units, with fractions. The result is negative if the limit is exceeded. */
  left(now: number): number;
  level(now: number): MeterLevel;
}

/** Comparisons of sums and quotients allow this difference, because both have rounding errors. */
export const roundingTolerance = 1e-9;

export const wholePeriods = (from: number, to: number, length: number): number =>
  Math.floor((to - from) / length + roundingTolerance);

interface Algorithm {
  /** The maximum number of remaining units. */
  readonly capacity: number;
  /** Returns the remaining units, with fractions. The result is negative if the limit is exceeded. */
  readonly left: (now: number) => number;
  /** Returns the time from which `units` units remain if no other request comes. `units` must be at most `capacity`. */
  readonly leftAt: (now: number, units: number) => number;
  /** Counts like `Meter.count`. If `count` returns no time, the units are admitted at once. */
  readonly count: (now: number, amount: number) => number | void;
  readonly onRefused?: (now: number) => void;
}

export const meterOf = ({ capacity, left, leftAt, count, onRefused }: Algorithm): Meter => {
  // At least one unit must be left, even if the cost of the request is unknown (0).
  const fits = (now: number, amount: number): boolean =>
    Math.max(1, amount) <= left(now) + roundingTolerance;
  return {
    fits,
    fitsAt: (now, amount) => {
      const units = Math.min(capacity, Math.max(1, amount));
      return fits(now, units) ? now : leftAt(now, units);
    },
    count: (now, amount) => count(now, amount) ?? now,
    onRefused: (now) => onRefused?.(now),
    left,
    level: (now) => ({
      remaining: Math.max(0, Math.floor(left(now) + roundingTolerance)),
      resetAt: leftAt(now, capacity),
    }),
  };
};
