import {
  atLeastOne,
  noop,
  type Meter,
  roundingTolerance,
  type MeterRule,
  wholePeriods,
} from './meter.ts';

/** Limiters that refill over time. */

/** A bucket of `size` units that gains `refill(from, to)` units between two times; `refilledAt` returns when it has gained `missing` more. */
const bucket = (
  size: number,
  refill: (from: number, to: number) => number,
  refilledAt: (now: number, missing: number) => number,
): Meter => {
  let left = size;
  let filledAt = Number.NEGATIVE_INFINITY;
  const fill = (now: number): number => {
    if (now > filledAt) {
      left =
        filledAt === Number.NEGATIVE_INFINITY ? size : Math.min(size, left + refill(filledAt, now));
      filledAt = now;
    }
    return left;
  };
  const whole = (level: number): number => Math.max(0, Math.floor(level + roundingTolerance));
  return {
    fits: (now, amount) => fill(now) + roundingTolerance >= atLeastOne(amount),
    fitsAt: (now, amount) => {
      const missing = Math.min(size, atLeastOne(amount)) - fill(now);
      return missing <= roundingTolerance ? now : refilledAt(now, missing);
    },
    count: (now, amount) => {
      left = Math.min(size, fill(now) - amount);
      return now;
    },
    onRefused: noop,
    level: (now) => {
      const level = fill(now);
      const missing = size - level;
      return {
        remaining: whole(level),
        resetAt: missing <= roundingTolerance ? now : refilledAt(now, missing),
      };
    },
  };
};

/** An even refill of one limit for each window. */
const evenBucket = (size: number, { limit, window }: MeterRule): Meter =>
  bucket(
    size,
    (from, to) => ((to - from) * limit) / window,
    (now, missing) => now + (missing * window) / limit,
  );

/** A bucket of the whole limit; it decides like GCRA and like a leaky bucket used as a meter. */
export const tokenBucket = (rule: MeterRule): Meter => evenBucket(rule.limit, rule);

/** A bucket smaller than the limit. */
export const burstBucket = (rule: MeterRule): Meter => evenBucket(rule.burst, rule);

/** A bucket of the whole limit, refilled in equal steps on the clock. */
export const steppedBucket = ({ limit, window, phase, steps }: MeterRule): Meter => {
  const stepsUntil = (moment: number): number => wholePeriods(phase, moment, window / steps);
  return bucket(
    limit,
    (from, to) => ((stepsUntil(to) - stepsUntil(from)) * limit) / steps,
    // A rounding error after a step does not wait for another step.
    (now, missing) =>
      phase +
      ((stepsUntil(now) + Math.ceil(((missing - roundingTolerance) * steps) / limit)) * window) /
        steps,
  );
};

/**
 * A leaky bucket used as a queue: admits requests one by one, `limit` per window; up to `limit` may wait, more are
 * refused.
 */
export const leakyQueue = ({ limit, window }: MeterRule): Meter => {
  const spacing = window / limit;
  /** When the next unit is admitted. */
  let nextFreeAt = Number.NEGATIVE_INFINITY;
  const waiting = (now: number): number => Math.max(0, nextFreeAt - now) / spacing;
  const fits = (now: number, amount: number): boolean =>
    waiting(now) + atLeastOne(amount) <= limit + roundingTolerance;
  return {
    fits,
    fitsAt: (now, amount) =>
      fits(now, Math.min(limit, amount))
        ? now
        : nextFreeAt - Math.max(0, limit - atLeastOne(amount)) * spacing,
    count: (now, amount) => {
      const passesAt = Math.max(now, nextFreeAt);
      nextFreeAt = Math.max(now, passesAt + amount * spacing);
      return passesAt;
    },
    onRefused: noop,
    level: (now) => ({
      remaining: Math.max(0, Math.floor(limit - waiting(now) + roundingTolerance)),
      resetAt: Math.max(now, nextFreeAt),
    }),
  };
};
