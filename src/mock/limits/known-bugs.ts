import { atLeastOne, ignore, type Meter, type Rule } from './meter.ts';

/** Meters that count as wrongly as real gateways do (`limitBugs`). */

/** How late a counter is written that several requests read at once, in ms. */
const lateness = 20;

/** Uses are counted late: who asks meanwhile reads the same counter. */
export const countingLate = (meter: Meter): Meter => {
  let late: { readonly at: number; readonly amount: number }[] = [];
  const write = (now: number): void => {
    if (late.length === 0 || late[0]!.at > now) return;
    for (const { at, amount } of late) if (at <= now) meter.book(at, amount);
    late = late.filter(({ at }) => at > now);
  };
  return {
    fits: (now, amount) => {
      write(now);
      return meter.fits(now, amount);
    },
    fitsAt: (now, amount) => {
      write(now);
      return meter.fitsAt(now, amount);
    },
    book: (now, amount) => {
      write(now);
      late.push({ at: now + lateness, amount });
      return now;
    },
    refuse: (now) => meter.refuse(now),
    // Each tells what it believes to have written itself.
    level: (now) => {
      write(now);
      const { remaining, resetAt } = meter.level(now);
      return { remaining: Math.max(0, remaining - (late.length > 0 ? 1 : 0)), resetAt };
    },
  };
};

/** A lockout ends after so many windows. */
const longestLockout = 3;

/**
 * A fixed window that is renewed by the pass for requests, which does not know of the tokens: their
 * counter is only cleared when the key was idle for a window, or locked out for three.
 */
export const staleCounter = ({ limit, window }: Rule): Meter => {
  let begin = Number.NEGATIVE_INFINITY;
  let asked = Number.NEGATIVE_INFINITY;
  let exhausted: number | null = null;
  let used = 0;
  const renew = (now: number): void => {
    const wasIdle = now >= asked + window;
    const wasLocked = exhausted !== null && now >= exhausted + longestLockout * window;
    if (wasIdle || wasLocked) {
      used = 0;
      exhausted = null;
    }
    if (now >= begin + window) begin = now;
    asked = now;
  };
  return {
    fits: (now, amount) => {
      renew(now);
      return used + atLeastOne(amount) <= limit;
    },
    // It believes that the next window brings everything back.
    fitsAt: (now, amount) =>
      used + atLeastOne(amount) <= limit ? now : Math.max(now, begin + window),
    book: (now, amount) => {
      renew(now);
      used = Math.max(0, used + amount);
      if (used >= limit) exhausted ??= now;
      return now;
    },
    refuse: ignore,
    level: (now) => ({
      remaining: Math.max(0, limit - used),
      resetAt: Math.max(now, begin + window),
    }),
  };
};
