import type { LimiterDecision } from '../../../model/limits/limit-log.ts';
import { instant } from '../../../model/quantity.ts';

/**
 * Decides whether a limiter admits a request at `now`, which never decreases. It follows the definition of the limiter,
 * and keeps the rule.
 */
export type TrueLimiter = (now: number) => boolean;

export interface LimiterShape {
  readonly limit: number;
  /**
   * The declared window in ms. Fixed windows and logs may count in units of `tolerance` ms. Then they forget up to one
   * unit early, or their windows are up to one unit longer.
   */
  readonly window: number;
  readonly tolerance: number;
  /** Random numbers from 0 to 1 that choose phases, sizes and lengths within what is allowed. */
  readonly draws: readonly [number, number, number];
}

/** Returns when a window that contains `moment` ends, or when a request logged at it is forgotten. */
const forgottenAt = (
  { window, tolerance, draws: [, , draw] }: LimiterShape,
  moment: number,
): number => {
  if (tolerance === 0) return moment + window;
  return draw < 0.5
    ? Math.floor(moment / tolerance) * tolerance + window
    : moment + window + (2 * draw - 1) * tolerance;
};

const grid = ({ limit, window, draws: [phase] }: LimiterShape, parts: number): TrueLimiter => {
  const length = window / parts;
  const capacity = limit / parts;
  let current = Number.NEGATIVE_INFINITY;
  let used = 0;
  return (now) => {
    const index = Math.floor((now - phase * length) / length);
    if (index !== current) [current, used] = [index, 0];
    if (used + 1 > capacity) return false;
    used += 1;
    return true;
  };
};

const fromFirst = (shape: LimiterShape): TrueLimiter => {
  let end = Number.NEGATIVE_INFINITY;
  let used = 0;
  return (now) => {
    if (now >= end) [end, used] = [forgottenAt(shape, now), 0];
    if (used >= shape.limit) return false;
    used += 1;
    return true;
  };
};

const log = (shape: LimiterShape, countsRefusals: boolean): TrueLimiter => {
  let kept: number[] = [];
  return (now) => {
    kept = kept.filter((at) => forgottenAt(shape, at) > now);
    const isAdmitted = kept.length < shape.limit;
    if (isAdmitted || countsRefusals) kept.push(now);
    return isAdmitted;
  };
};

/** Creates a weighted counter over two adjacent windows. `rounding` says how it rounds the estimate. */
const weighted = (
  { limit, window, draws: [phase] }: LimiterShape,
  rounding: string,
  countsRefusals = false,
): TrueLimiter => {
  const counts = new Map<number, number>();
  return (now) => {
    const place = (now - phase * window) / window;
    const index = Math.floor(place);
    const old = (counts.get(index - 1) ?? 0) * (1 - (place - index));
    const current = counts.get(index) ?? 0;
    const estimate = {
      floored: Math.floor(old) + current + 1 <= limit,
      rounded: Math.round(old + current) + 1 <= limit,
      exact: old + current + 1 <= limit,
    }[rounding]!;
    if (estimate || countsRefusals) counts.set(index, current + 1);
    return estimate;
  };
};

const bucket = ({ limit, window }: LimiterShape, size: number): TrueLimiter => {
  let level = size;
  let last = Number.NEGATIVE_INFINITY;
  return (now) => {
    level = last === Number.NEGATIVE_INFINITY ? size : level + ((now - last) * limit) / window;
    level = Math.min(size, level);
    last = now;
    if (level < 1) return false;
    level -= 1;
    return true;
  };
};

const stepped = ({ limit, window, draws: [phase] }: LimiterShape, steps: number): TrueLimiter => {
  const length = window / steps;
  let level = limit;
  let last: number | null = null;
  return (now) => {
    const step = Math.floor((now - phase * length) / length);
    level = Math.min(limit, level + ((step - (last ?? step)) * limit) / steps);
    last = step;
    if (level < 1) return false;
    level -= 1;
    return true;
  };
};

/** The limiters of every family, with any phase and size. */
export const trueLimiters: Readonly<Record<string, (shape: LimiterShape) => TrueLimiter>> = {
  'windows on a grid': (shape) => grid(shape, 1),
  'half windows': (shape) => grid(shape, shape.limit % 2 === 0 ? 2 : 1),
  'windows for one request': (shape) => grid(shape, shape.limit),
  'windows from the first request': fromFirst,
  'a log': (shape) => log(shape, false),
  'a log that counts refusals': (shape) => log(shape, true),
  'a weighted counter that floors': (shape) => weighted(shape, 'floored'),
  'a weighted counter that rounds': (shape) => weighted(shape, 'rounded'),
  'a weighted counter that adds first': (shape) => weighted(shape, 'exact'),
  'a weighted counter that counts refusals': (shape) => weighted(shape, 'exact', true),
  'a floored counter that counts refusals': (shape) => weighted(shape, 'floored', true),
  'a full bucket': (shape) => bucket(shape, shape.limit),
  'a bucket of one more': (shape) => bucket(shape, shape.limit + 1),
  'a bucket of any size': (shape) => bucket(shape, 1 + shape.draws[1] * (shape.limit - 1)),
  'a bucket of one': (shape) => bucket(shape, 1),
  'a bucket that refills in steps': (shape) => stepped(shape, 1 + Math.floor(shape.draws[1] * 11)),
};

/** Returns the decisions that a client sees: each is made at some moment between sending and answer. */
export const seenDecisions = (
  limiter: TrueLimiter,
  requests: readonly { readonly sent: number; readonly there: number; readonly back: number }[],
): readonly LimiterDecision[] =>
  requests
    .toSorted((a, b) => a.sent + a.there - b.sent - b.there)
    .map(({ sent, there, back }): LimiterDecision => {
      const admitted = limiter(sent + there);
      const answered = instant(sent + there + back);
      return { sent: instant(sent), answered, ended: answered, admitted };
    })
    .toSorted((a, b) => a.sent - b.sent);
