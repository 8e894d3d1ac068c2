import type { MockLimiterClass } from '../../model/gateway/mock-limits.ts';
import {
  atLeastOne,
  type Meter,
  type MeterRule,
  noop,
  roundingTolerance,
  wholePeriods,
} from './meter.ts';
import { slidingLog } from './sliding-log.ts';

/** Limiters that count within windows of time, and limiters that refill over time. */

/** A fixed window; when one is over, `beginAt` returns the begin of the next. */
const fixedWindow = ({ limit, window }: MeterRule, beginAt: (now: number) => number): Meter => {
  let begin = Number.NEGATIVE_INFINITY;
  let used = 0;
  const isOver = (now: number): boolean => now >= begin + window;
  const usedAt = (now: number): number => (isOver(now) ? 0 : used);
  const unitsLeft = (now: number): number => limit - usedAt(now);
  return {
    fits: (now, amount) => atLeastOne(amount) <= unitsLeft(now),
    fitsAt: (now, amount) =>
      Math.min(limit, atLeastOne(amount)) <= unitsLeft(now) ? now : begin + window,
    count: (now, amount) => {
      used = Math.max(0, usedAt(now) + amount);
      if (isOver(now)) begin = beginAt(now);
      return now;
    },
    onRefused: noop,
    level: (now) => ({
      remaining: Math.max(0, unitsLeft(now)),
      resetAt: isOver(now) ? now : begin + window,
    }),
  };
};

/** The begin of the clock's window at `now`. */
const alignedBegin = ({ window, phase }: MeterRule, now: number): number =>
  wholePeriods(phase, now, window) * window + phase;

/** Two adjacent windows on the clock; the earlier one is weighted by its share that is younger than one window. */
const slidingCounter = (rule: MeterRule): Meter => {
  const { limit, window } = rule;
  let begin = Number.NEGATIVE_INFINITY;
  let previous = 0;
  let current = 0;
  const advanceWindow = (now: number): void => {
    const at = alignedBegin(rule, now);
    if (at === begin) return;
    previous = at === begin + window ? current : 0;
    current = 0;
    begin = at;
  };
  const used = (now: number): number => {
    advanceWindow(now);
    return previous * (1 - (now - begin) / window) + current;
  };
  const unitsLeft = (now: number): number => limit - used(now) + roundingTolerance;
  /** When of `count` units, weighted away during the window from `from` on, only `rest` are left. */
  const decayedAt = (from: number, count: number, rest: number): number =>
    from + window * (1 - Math.max(0, rest) / count);
  return {
    fits: (now, amount) => atLeastOne(amount) <= unitsLeft(now),
    fitsAt: (now, amount) => {
      const most = limit - Math.min(limit, atLeastOne(amount));
      if (unitsLeft(now) >= limit - most) return now;
      return current <= most
        ? decayedAt(begin, previous, most - current)
        : decayedAt(begin + window, current, most);
    },
    count: (now, amount) => {
      advanceWindow(now);
      current = Math.max(0, current + amount);
      return now;
    },
    onRefused: noop,
    level: (now) => {
      const remaining = Math.max(0, Math.floor(unitsLeft(now)));
      const resetAt = current > 0 ? begin + 2 * window : previous > 0 ? begin + window : now;
      return { remaining, resetAt };
    },
  };
};

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

/** A bucket of the whole limit, refilled in equal steps on the clock. */
const steppedBucket = ({ limit, window, phase, steps }: MeterRule): Meter => {
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
const leakyQueue = ({ limit, window }: MeterRule): Meter => {
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

/** A cap on requests in flight does not depend on time and needs no meter (`key-limiter.ts`). */
export type RateLimiterKind = Exclude<MockLimiterClass, 'in-flight'>;

/** Opens a meter of each algorithm. */
export const openMeter = {
  /**
   * The window begins with the first use after the last one: the algorithm of the gateway. Up to twice the limit
   * passes within the length of a window, across its boundary.
   */
  'fixed-from-first': (rule) => fixedWindow(rule, (now) => now),
  'fixed-aligned': (rule) => fixedWindow(rule, (now) => alignedBegin(rule, now)),
  'sliding-log': (rule) => slidingLog(rule, false),
  /** A client that keeps sending is never admitted again. */
  'sliding-log-counting-refusals': (rule) => slidingLog(rule, true),
  'sliding-counter': slidingCounter,
  /** It decides like GCRA and like a leaky bucket used as a meter. */
  'token-bucket': (rule) => evenBucket(rule.limit, rule),
  'burst-bucket': (rule) => evenBucket(rule.burst, rule),
  'stepped-bucket': steppedBucket,
  'leaky-queue': leakyQueue,
} as const satisfies Record<RateLimiterKind, (rule: MeterRule) => Meter>;
