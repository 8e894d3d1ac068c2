import type { LimiterClass, LimitRule } from '../../../model/limits/limit-log.ts';
import type { EnvelopeFact } from '../../../model/limits/limit-facts.ts';
import { type Charge, spanCounts } from './interval-counts.ts';
import { findingOf, longestWindow, shortestSpan } from './rule-bounds.ts';

/** Logs admit their limit in any window; all other limiters can add what a boundary or a full bucket admits. */
const strictClasses: readonly LimiterClass[] = ['sliding-log', 'sliding-log-counting-refusals'];

/** The limits that permitted classes admit on top of one for each window; a cap on requests in flight adds none. */
export const extraLimits = (permitted: readonly LimiterClass[]): number => {
  const rated = permitted.filter((name) => name !== 'in-flight');
  return rated.length > 0 && rated.every((name) => strictClasses.includes(name)) ? 0 : 1;
};

/** Of very many windows only some numbers are tried: a day of requests would take minutes. */
const triedShare = 1 / 64;
const stepFrom = (windows: number): number => Math.max(1, Math.floor(triedShare * windows));

/**
 * No limiter admits more than (⌈T / window⌉ + 1) limits in a span T: fixed windows touch one more
 * window than they fill, a bucket holds one limit and refills another in each window. The bound only
 * grows at multiples of the window, so those are all spans that matter.
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
    // What is left out is kept if the longer span keeps the bound of the shortest one left out.
    if (within(windows * longer).most > (tried + 1 + extra) * limit) isKept = false;
    tried = windows;
    const isWorse = worst === null || admitted / allowed > worst.admitted / worst.allowed;
    if (admitted > allowed && isWorse)
      worst = { span: shortestSpan(window, windows), admitted, allowed };
  }
  return { finding: findingOf(isKept, worst !== null), worst };
};
