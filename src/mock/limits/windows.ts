import {
  atLeastOne,
  noop,
  type Meter,
  roundingTolerance,
  type MeterRule,
  wholePeriods,
} from './meter.ts';

/** Limiters that count within windows of time. */

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

/**
 * A fixed window that begins with the first use after the last window: the algorithm of the gateway. Up to twice the
 * limit passes within the length of a window, across its boundary.
 */
export const fixedFromFirst = (rule: MeterRule): Meter => fixedWindow(rule, (now) => now);

/** The begin of the clock's window at `now`. */
const alignedBegin = ({ window, phase }: MeterRule, now: number): number =>
  wholePeriods(phase, now, window) * window + phase;

/** A fixed window aligned to the wall clock. */
export const fixedAligned = (rule: MeterRule): Meter =>
  fixedWindow(rule, (now) => alignedBegin(rule, now));

/** Two adjacent windows on the clock; the earlier one is weighted by its share that is younger than one window. */
export const slidingCounter = (rule: MeterRule): Meter => {
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
