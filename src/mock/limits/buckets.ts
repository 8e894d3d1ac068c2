import { atLeastOne, ignore, type Meter, offBy, type Rule, wholeLengths } from './meter.ts';

/** Limiters that fill up again while time passes. */

/** A bucket that holds `size` units, into which `refill(from, to)` come between two instants; `backAt` tells when `lacking` more are in it. */
const bucket = (
  size: number,
  refill: (from: number, to: number) => number,
  backAt: (now: number, lacking: number) => number,
): Meter => {
  let left = size;
  let seen = Number.NEGATIVE_INFINITY;
  const fill = (now: number): number => {
    if (now > seen) {
      left = seen === Number.NEGATIVE_INFINITY ? size : Math.min(size, left + refill(seen, now));
      seen = now;
    }
    return left;
  };
  const whole = (level: number): number => Math.max(0, Math.floor(level + offBy));
  return {
    fits: (now, amount) => fill(now) + offBy >= atLeastOne(amount),
    fitsAt: (now, amount) => {
      const lacking = Math.min(size, atLeastOne(amount)) - fill(now);
      return lacking <= offBy ? now : backAt(now, lacking);
    },
    book: (now, amount) => {
      left = Math.min(size, fill(now) - amount);
      return now;
    },
    refuse: ignore,
    level: (now) => {
      const level = fill(now);
      const lacking = size - level;
      return { remaining: whole(level), resetAt: lacking <= offBy ? now : backAt(now, lacking) };
    },
  };
};

/** An even refill of one limit for each window. */
const evenBucket = (size: number, { limit, window }: Rule): Meter =>
  bucket(
    size,
    (from, to) => ((to - from) * limit) / window,
    (now, lacking) => now + (lacking * window) / limit,
  );

/** A bucket that holds the whole limit: the same decisions as GCRA and as a leaky bucket used as a meter. */
export const tokenBucket = (rule: Rule): Meter => evenBucket(rule.limit, rule);

/** A bucket that holds less than the limit. */
export const burstBucket = (rule: Rule): Meter => evenBucket(rule.burst, rule);

/** A bucket that holds the limit and is refilled in equal steps on the clock. */
export const steppedBucket = ({ limit, window, phase, steps }: Rule): Meter => {
  const stepsUntil = (moment: number): number => wholeLengths(phase, moment, window / steps);
  return bucket(
    limit,
    (from, to) => ((stepsUntil(to) - stepsUntil(from)) * limit) / steps,
    // What a step leaves lacking by its last digit alone does not wait for another one.
    (now, lacking) =>
      phase + ((stepsUntil(now) + Math.ceil(((lacking - offBy) * steps) / limit)) * window) / steps,
  );
};

/**
 * A leaky bucket used as a queue: requests are let through one by one, one limit in each window, and
 * as many as the limit may wait; only more than that are refused.
 */
export const leakyQueue = ({ limit, window }: Rule): Meter => {
  const spacing = window / limit;
  /** When the next unit is let through. */
  let free = Number.NEGATIVE_INFINITY;
  const waiting = (now: number): number => Math.max(0, free - now) / spacing;
  const fits = (now: number, amount: number): boolean =>
    waiting(now) + atLeastOne(amount) <= limit + offBy;
  return {
    fits,
    fitsAt: (now, amount) =>
      fits(now, Math.min(limit, amount))
        ? now
        : free - Math.max(0, limit - atLeastOne(amount)) * spacing,
    book: (now, amount) => {
      const through = Math.max(now, free);
      free = Math.max(now, through + amount * spacing);
      return through;
    },
    refuse: ignore,
    level: (now) => ({
      remaining: Math.max(0, Math.floor(limit - waiting(now) + offBy)),
      resetAt: Math.max(now, free),
    }),
  };
};
