import type { MockLimiterClass } from '../../model/gateway/mock-limits.ts';
import { type Meter, meterOf, type MeterRule, roundingTolerance, wholePeriods } from './meter.ts';

/** This file contains limiters that count within time windows, limiters that refill over time, and faulty meters. */

/**
 * Counts in fixed windows. The first use after the end of a window begins a new window. `beginAt` returns the start of
 * the new window.
 */
const fixedWindow = ({ limit, window }: MeterRule, beginAt: (now: number) => number): Meter => {
  let begin = Number.NEGATIVE_INFINITY;
  let used = 0;
  const isOver = (now: number): boolean => now >= begin + window;
  const usedAt = (now: number): number => (isOver(now) ? 0 : used);
  return meterOf({
    capacity: limit,
    left: (now) => limit - usedAt(now),
    leftAt: (now) => (isOver(now) ? now : begin + window),
    count: (now, amount) => {
      used = Math.max(0, usedAt(now) + amount);
      if (isOver(now)) begin = beginAt(now);
    },
  });
};

const alignedBegin = ({ window, phase }: MeterRule, now: number): number =>
  wholePeriods(phase, now, window) * window + phase;

/**
 * Counts units in two adjacent windows on the clock. When a share of the newer window is over, the count of the older
 * window is reduced by this share. Example: when 70 % of the newer window is over, 30 % of the older count remains.
 */
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
  /**
   * Returns the time at which the weighted count of a window has fallen to `rest`. The window has `count` units. Their
   * weight falls from 1 to 0 during the next window, which starts at `from`.
   */
  const decayedAt = (from: number, count: number, rest: number): number =>
    from + window * (1 - Math.max(0, rest) / count);
  return meterOf({
    capacity: limit,
    left: (now) => {
      advanceWindow(now);
      return limit - previous * (1 - (now - begin) / window) - current;
    },
    leftAt: (now, units) => {
      advanceWindow(now);
      const most = limit - units;
      if (current > most) return decayedAt(begin + window, current, most);
      return previous > 0 ? decayedAt(begin, previous, most - current) : now;
    },
    count: (now, amount) => {
      advanceWindow(now);
      current = Math.max(0, current + amount);
    },
  });
};

/** Counts the uses within the last window length. Each use expires after one window length. */
const slidingLog = ({ limit, window }: MeterRule, countsRefusals: boolean): Meter => {
  /**
   * The uses in the order of time. The uses before the index `oldest` have expired. Expired uses are removed from time
   * to time.
   */
  let uses: { readonly at: number; amount: number }[] = [];
  let oldest = 0;
  let used = 0;
  const expire = (now: number): void => {
    for (; oldest < uses.length && uses[oldest]!.at + window <= now; oldest += 1) {
      used -= uses[oldest]!.amount;
    }
    if (oldest <= 1024 || oldest * 2 <= uses.length) return;
    uses = uses.slice(oldest);
    oldest = 0;
  };
  const add = (at: number, amount: number): void => {
    uses.push({ at, amount });
    used += amount;
  };
  const giveBack = (amount: number): void => {
    let left = Math.min(amount, used);
    used -= left;
    while (left > 0) {
      const newest = uses.at(-1)!;
      const taken = Math.min(left, newest.amount);
      left -= taken;
      newest.amount -= taken;
      if (newest.amount === 0) uses.pop();
    }
  };
  return meterOf({
    capacity: limit,
    left: (now) => {
      expire(now);
      return limit - used;
    },
    leftAt: (now, units) => {
      expire(now);
      if (units === limit) return Math.max(now, (uses.at(-1)?.at ?? -Infinity) + window);
      let left = limit - used;
      let at = now;
      for (let i = oldest; left < units; i += 1) {
        left += uses[i]!.amount;
        at = uses[i]!.at + window;
      }
      return at;
    },
    count: (now, amount) => {
      expire(now);
      if (amount > 0) add(now, amount);
      else giveBack(-amount);
    },
    onRefused: (now) => {
      if (countsRefusals) add(now, 1);
    },
  });
};

/**
 * A bucket of `size` units. `refill` returns how many units the bucket gains between two times. `refilledAt` returns
 * the time at which the bucket has gained `missing` more units.
 */
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
  return meterOf({
    capacity: size,
    left: fill,
    leftAt: (now, units) => {
      const missing = units - fill(now);
      return missing <= roundingTolerance ? now : refilledAt(now, missing);
    },
    count: (now, amount) => {
      left = Math.min(size, fill(now) - amount);
    },
  });
};

const evenBucket = (size: number, { limit, window }: MeterRule): Meter =>
  bucket(
    size,
    (from, to) => ((to - from) * limit) / window,
    (now, missing) => now + (missing * window) / limit,
  );

/** Creates a bucket that holds the whole limit, and is refilled in equal steps at fixed times of the clock. */
const steppedBucket = ({ limit, window, phase, steps }: MeterRule): Meter => {
  const stepsUntil = (moment: number): number => wholePeriods(phase, moment, window / steps);
  return bucket(
    limit,
    (from, to) => ((stepsUntil(to) - stepsUntil(from)) * limit) / steps,
    // With the tolerance, a rounding error at a step does not make the request wait for one more step.
    (now, missing) =>
      phase +
      ((stepsUntil(now) + Math.ceil(((missing - roundingTolerance) * steps) / limit)) * window) /
        steps,
  );
};

/**
 * Creates a queue that admits `limit` requests per window, one by one. Up to `limit` further requests may wait in the
 * queue.
 */
const leakyQueue = ({ limit, window }: MeterRule): Meter => {
  const spacing = window / limit;
  let nextFreeAt = Number.NEGATIVE_INFINITY;
  return meterOf({
    capacity: limit,
    left: (now) => limit - Math.max(0, nextFreeAt - now) / spacing,
    leftAt: (now, units) => Math.max(now, nextFreeAt - (limit - units) * spacing),
    count: (now, amount) => {
      const passesAt = Math.max(now, nextFreeAt);
      nextFreeAt = Math.max(now, passesAt + amount * spacing);
      return passesAt;
    },
  });
};

/**
 * The limiters that have a meter. A cap on requests in flight has no meter, since the cap does not depend on time
 * (`key-limiter.ts`).
 */
export type RateLimiterKind = Exclude<MockLimiterClass, 'in-flight'>;

export const openMeter = {
  /**
   * The first use after the end of a window begins the next window. Around the boundary between two windows, this
   * limiter admits up to twice its limit within one window length.
   */
  'fixed-from-first': (rule) => fixedWindow(rule, (now) => now),
  'fixed-aligned': (rule) => fixedWindow(rule, (now) => alignedBegin(rule, now)),
  'sliding-log': (rule) => slidingLog(rule, false),
  /** Refusals count, too. So a client that is refused and keeps sending is never admitted again. */
  'sliding-log-counting-refusals': (rule) => slidingLog(rule, true),
  'sliding-counter': slidingCounter,
  /** This limiter makes the same decisions as GCRA, and as a leaky bucket that is used as a meter. */
  'token-bucket': (rule) => evenBucket(rule.limit, rule),
  'burst-bucket': (rule) => evenBucket(rule.burst, rule),
  'stepped-bucket': steppedBucket,
  'leaky-queue': leakyQueue,
} as const satisfies Record<RateLimiterKind, (rule: MeterRule) => Meter>;

/** The meters below have the counting errors of real gateways (`limitBugs`). */

/** The delay between reading and writing a counter, in ms. */
const writeDelay = 20;

/** Counts with a delay, so requests that come during the delay see the old count. */
export const withDelayedWrites = (meter: Meter): Meter => {
  let pendingWrites: { readonly at: number; readonly amount: number }[] = [];
  /** Counts all writes that are due by now, and returns the meter. */
  const written = (now: number): Meter => {
    if (pendingWrites.length > 0 && pendingWrites[0]!.at <= now) {
      for (const { at, amount } of pendingWrites) if (at <= now) meter.count(at, amount);
      pendingWrites = pendingWrites.filter(({ at }) => at > now);
    }
    return meter;
  };
  return {
    fits: (now, amount) => written(now).fits(now, amount),
    fitsAt: (now, amount) => written(now).fitsAt(now, amount),
    count: (now, amount) => {
      written(now);
      pendingWrites.push({ at: now + writeDelay, amount });
      return now;
    },
    onRefused: (now) => meter.onRefused(now),
    left: (now) => written(now).left(now),
    // The reported level includes only one pending write: the write of the request that gets the report.
    level: (now) => {
      const { remaining, resetAt } = written(now).level(now);
      return { remaining: Math.max(0, remaining - Math.min(1, pendingWrites.length)), resetAt };
    },
  };
};

const longestLockout = 3;

/**
 * Creates a fixed window whose count is not cleared when the window ends. The count is cleared only after the key was
 * idle for one window length, or was locked out for three window lengths.
 */
export const staleTokenCounter = ({ limit, window }: MeterRule): Meter => {
  let begin = Number.NEGATIVE_INFINITY;
  let lastAskedAt = Number.NEGATIVE_INFINITY;
  let exhaustedAt: number | null = null;
  let used = 0;
  const renew = (now: number): void => {
    const wasIdle = now >= lastAskedAt + window;
    const wasLocked = exhaustedAt !== null && now >= exhaustedAt + longestLockout * window;
    if (wasIdle || wasLocked) {
      used = 0;
      exhaustedAt = null;
    }
    if (now >= begin + window) begin = now;
    lastAskedAt = now;
  };
  const nextWindow = (now: number): number => Math.max(now, begin + window);
  const meter = meterOf({
    capacity: limit,
    left: () => limit - used,
    leftAt: nextWindow,
    count: (now, amount) => {
      renew(now);
      used = Math.max(0, used + amount);
      if (used >= limit) exhaustedAt ??= now;
    },
  });
  return {
    ...meter,
    fits: (now, amount) => {
      renew(now);
      return meter.fits(now, amount);
    },
    // The meter wrongly reports that the count will be cleared at the start of the next window.
    fitsAt: (now, amount) => (meter.fits(now, amount) ? now : nextWindow(now)),
  };
};
