import type { LimiterClass, LimitRule } from '../../../model/limits/limit-log.ts';
import type { EnvelopeFact } from '../../../model/limits/limit-facts.ts';
import { type Charge, spanCounts } from './interval-counts.ts';
import { findingOf, longestWindow, shortestSpan } from './rule-bounds.ts';

/**
 * The classes that never admit more than the limit in any window. All other classes may admit more, at a boundary
 * between windows or from a full bucket.
 */
const strictClasses: readonly LimiterClass[] = ['sliding-log', 'sliding-log-counting-refusals'];

/**
 * Returns 0 if all permitted classes are strict, otherwise 1. In n windows, a permitted limiter admits at most n times
 * the limit, plus this many times the limit.
 */
export const extraLimits = (permitted: readonly LimiterClass[]): number => {
  const rated = permitted.filter((name) => name !== 'in-flight');
  return rated.length > 0 && rated.every((name) => strictClasses.includes(name)) ? 0 : 1;
};

/**
 * Returns the step from one number of windows to the next number to try. Trying every number would take minutes for the
 * requests of a day.
 */
const stepFrom = (windows: number): number => Math.max(1, Math.floor(windows / 64));

/**
 * Checks whether, in any span T, the gateway admitted more than (⌈T / window⌉ + 1) times the limit. If only strict
 * classes are permitted, the bound is ⌈T / window⌉ times the limit. No limiter exceeds the first bound: a span that is
 * as long as n fixed windows can touch n + 1 windows, and a bucket holds the limit once and refills it once in each
 * window. The bound grows only at multiples of the window, so no other spans need checking. Example: a limit of 20
 * permits at most 80 requests in 3 windows.
 */
export const upperEnvelope = (
  charges: readonly Charge[],
  { limit, window }: LimitRule,
  permitted: readonly LimiterClass[] = [],
): EnvelopeFact => {
  const longer = longestWindow(window);
  const begin = charges.reduce((least, { from }) => Math.min(least, from), Infinity);
  const end = charges.reduce((most, { until }) => Math.max(most, until), begin);
  const longest = charges.length === 0 ? 0 : Math.ceil((end - begin) / shortestSpan(window, 1));
  const extra = extraLimits(permitted);
  const within = spanCounts(charges);
  let isKept = true;
  let worst: EnvelopeFact['worst'] = null;
  let tried = 0;
  for (let windows = 1; windows <= Math.max(1, longest); windows += stepFrom(windows)) {
    const allowed = (windows + extra) * limit;
    const admitted = within(shortestSpan(window, windows)).least;
    // The numbers of windows after `tried` and before `windows` are skipped. Of all numbers after `tried`, `tried` + 1
    // has the lowest bound. If the longest span is within this bound, every skipped span is within its own bound.
    if (within(windows * longer).most > (tried + 1 + extra) * limit) isKept = false;
    tried = windows;
    const isWorse = worst === null || admitted / allowed > worst.admitted / worst.allowed;
    if (admitted > allowed && isWorse)
      worst = { span: shortestSpan(window, windows), admitted, allowed };
  }
  return { finding: findingOf(isKept, worst !== null), worst };
};
