import { sumOf } from '../../../model/sums.ts';
import type { LimitRule } from '../../../model/limits/limit-log.ts';
import { chargedBefore } from './interval-counts.ts';
import { sumInFlight } from './early-refusals.ts';
import { windowTolerance } from './rule-bounds.ts';
import { ownCountRatio, type LimitUse, certainCharge } from './token-uses.ts';

/** A request that was admitted after more than any limiter admits, and the span that shows it. */
interface ExceededSpan {
  readonly admission: LimitUse;
  /** The span in ms. */
  readonly span: number;
  readonly charged: number;
  readonly allowed: number;
}

interface EnvelopeTerms {
  /** The limits that a limiter admits in addition to one for each window: 1, or 0 for logs. */
  readonly extra: number;
  /**
   * The number of times in so many windows that usage above the limit is forgotten: fixed windows forget it at each of
   * their ends, a log after a window, and a bucket never, since it keeps a debt.
   */
  readonly forgottenIn: (windows: number) => number;
  /** How far a gateway’s own count may be above the usage, if it is known better than for any gateway. */
  readonly ownCount?: number;
}

/** The number of lengths of spans that are tried one by one; from there on fewer. */
const eachWindow = 32;

/**
 * Finds the admissions after more than any limiter of the rule admits: within n windows n + 1 limits, and for each
 * window that ended what was in flight at an admission, since charges may come with the answer. What is in flight
 * itself never counts, so too much at once is no violation. Example: of 100 tokens a minute, 40 of them in flight, a
 * request is admitted after at most 1.07 × (3 × 100 + 2 × 40) tokens that were answered within two minutes.
 */
export const exceededSpans = (
  uses: readonly LimitUse[],
  { limit, window }: LimitRule,
  { extra, forgottenIn, ownCount = ownCountRatio }: EnvelopeTerms,
): readonly ExceededSpan[] => {
  const admitted = uses.filter(({ fate }) => fate === 'admitted');
  // No span holds more than all requests together; if that is allowed in the shortest, nothing is exceeded.
  const allowedInOne = ownCount * (1 + extra) * limit;
  if (sumOf(admitted, ({ least }) => least) <= allowedInOne) return [];
  const before = chargedBefore(admitted.map(certainCharge));
  const overlapping = sumInFlight(admitted, ({ least }) => least);
  const overshoot = admitted.reduce((most, each) => Math.max(most, overlapping(each)), 0);
  const begin = admitted.reduce((least, { sent }) => Math.min(least, sent), Infinity);
  const end = admitted.reduce((most, { answered }) => Math.max(most, answered), begin);
  const worst = new Map<LimitUse, ExceededSpan>();
  const longest = Math.ceil((end - begin) / window) + 1;
  for (let windows = 1; windows <= longest; windows += Math.ceil(windows / eachWindow)) {
    const span = windows * window - windowTolerance(window);
    const allowed = ownCount * ((windows + extra) * limit + forgottenIn(windows) * overshoot);
    for (const admission of admitted) {
      const charged = before(admission, span).least;
      const known = worst.get(admission);
      if (
        charged > allowed &&
        (known === undefined || charged / allowed > known.charged / known.allowed)
      )
        worst.set(admission, { admission, span, charged, allowed });
    }
  }
  return admitted.flatMap((each) => worst.get(each) ?? []);
};
