import { sumOf } from '../../../model/sums.ts';
import type { LimitRule } from '../../../model/limits/limit-log.ts';
import { chargedBefore } from './interval-counts.ts';
import { sumInFlight } from './early-refusals.ts';
import { windowTolerance } from './rule-bounds.ts';
import { ownCountRatio, type LimitUse, certainCharge } from './token-uses.ts';

/**
 * A request (`admission`) that the limiter should have refused: in the `span` ms before the request, more was charged
 * than the limiter can allow.
 */
interface ExceededSpan {
  readonly admission: LimitUse;
  readonly span: number;
  readonly charged: number;
  readonly allowed: number;
}

interface EnvelopeTerms {
  /**
   * Within n windows, a limiter can admit n times the limit, plus this many times the limit: 0 for logs, otherwise 1.
   */
  readonly extra: number;
  /**
   * Returns how many times a limiter forgets usage above the limit within `windows` windows. A limiter with fixed
   * windows forgets such usage whenever a window ends. A log forgets each use one window later. A bucket never forgets
   * such usage, since the bucket keeps a debt.
   */
  readonly forgottenIn: (windows: number) => number;
  /** This gateway counts at most this many times the reported tokens; if absent, `ownCountRatio` applies. */
  readonly ownCount?: number;
}

/** All spans of up to this many windows are tried. Of longer spans, only some lengths are tried. */
const eachWindow = 32;

/**
 * Finds the requests that were admitted although the use before them exceeded what a limiter with this rule can admit.
 * Within n windows, a limiter admits at most n + 1 times the limit. For each window that ended, the limiter also admits
 * the tokens that were in flight at an admission, since charges may come with the answer. Tokens that are still in
 * flight are not added to the use, so too many tokens at once are no violation. Example with fixed windows: the limit
 * is 100 tokens a minute, and 40 tokens are in flight. Then at most `ownCountRatio` × (3 × 100 + 2 × 40) tokens can
 * have been answered in the two minutes before an admission.
 */
export const exceededSpans = (
  uses: readonly LimitUse[],
  { limit, window }: LimitRule,
  { extra, forgottenIn, ownCount = ownCountRatio }: EnvelopeTerms,
): readonly ExceededSpan[] => {
  const admitted = uses.filter(({ fate }) => fate === 'admitted');
  // A longer span allows more use. So if even the shortest span allows the use of all requests, no request is found.
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
