import { type Meter, meterOf, type MeterRule } from './meter.ts';

/** Meters with counting errors of real gateways (`limitBugs`). */

/** Delay between reading and writing a counter, in ms. */
const writeDelay = 20;

/** Counts late: requests that come meanwhile read the old value. */
export const withDelayedWrites = (meter: Meter): Meter => {
  let pendingWrites: { readonly at: number; readonly amount: number }[] = [];
  /** The meter with everything that is written by now. */
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
    // Each request reports only its own pending write.
    level: (now) => {
      const { remaining, resetAt } = written(now).level(now);
      return { remaining: Math.max(0, remaining - Math.min(1, pendingWrites.length)), resetAt };
    },
  };
};

const longestLockout = 3;

/**
 * A fixed window whose token counter is not cleared with the window, but only when the key was idle for a window or
 * locked out for three.
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
    // It reports that the next window clears the counter.
    fitsAt: (now, amount) => (meter.fits(now, amount) ? now : nextWindow(now)),
  };
};
