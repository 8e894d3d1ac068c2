/** A limit: at most `limit` units (requests or tokens) in `window` milliseconds. */
export interface MeterRule {
  readonly limit: number;
  readonly window: number;
  /** A time at which a window of the wall clock begins. */
  readonly phase: number;
  /** The size of a bucket that holds less than the limit. */
  readonly burst: number;
  readonly steps: number;
}

/** The remaining whole units, never negative, and the time at which all are available again. */
export interface MeterLevel {
  readonly remaining: number;
  readonly resetAt: number;
}

/** Counts the units of one limit of one key. Times are in ms on one clock and never decrease from call to call. */
export interface Meter {
  /** Decides whether `amount` more units fit; with 0, for an unknown amount, at least one must be left. */
  fits(now: number, amount: number): boolean;
  /** Counts units and returns when they are admitted. A negative amount gives back what was reserved and not used. */
  count(now: number, amount: number): number;
  /** Returns from when on `amount` units fit if no other request comes; if they never fit, when all units are free. */
  fitsAt(now: number, amount: number): number;
  onRefused(now: number): void;
  level(now: number): MeterLevel;
}

/** The bound of rounding errors of sums and quotients. */
export const roundingTolerance = 1e-9;

export const wholePeriods = (from: number, to: number, length: number): number =>
  Math.floor((to - from) / length + roundingTolerance);

interface Algorithm {
  /** The most units that are ever left. */
  readonly capacity: number;
  /** The units left, with their fraction; negative beyond the limit. */
  readonly left: (now: number) => number;
  /** Returns from when on so many units, at most `capacity`, are left if no other request comes. */
  readonly leftAt: (now: number, units: number) => number;
  /** Counts as `Meter.count` does; units without a returned time are admitted at once. */
  readonly count: (now: number, amount: number) => number | void;
  readonly onRefused?: (now: number) => void;
}

export const meterOf = ({ capacity, left, leftAt, count, onRefused }: Algorithm): Meter => {
  // A request of unknown cost needs at least one unit.
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
    level: (now) => ({
      remaining: Math.max(0, Math.floor(left(now) + roundingTolerance)),
      resetAt: leftAt(now, capacity),
    }),
  };
};
