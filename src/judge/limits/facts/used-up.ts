import type { LimitRule } from '../../../model/limits/limit-log.ts';
import { finite, leakyLevel, sumInFlight, sumsBy } from './early-refusals.ts';
import { longestWindow } from './rule-bounds.ts';
import type { LimitUse } from './token-uses.ts';

const phaseParts = 16;

/**
 * Returns a function that decides whether a limit may have been used up when a request was refused: if the possible
 * charges plus the amount that the request asks for exceed the limit, or if the possible charges alone reach the limit.
 * The possible charges are the amounts of the requests in flight plus the largest of three values: the charges of one
 * window, the count of a weighted counter at any phase, and the level of a leaking bucket. If an amount is unknown, its
 * largest reservation is used. If the reservation is also unknown, 0 is used, since an infinite amount would explain
 * every refusal. `countFactor` multiplies the amounts. Example: 1,950,000 of 2,000,000 tokens are used, so a chat that
 * asks for 60,000 may be refused.
 */
export const mayBeUsedUp = (
  uses: readonly LimitUse[],
  { limit, window }: LimitRule,
  countFactor = 1,
): ((refusal: LimitUse) => boolean) => {
  // Few gateways charge a limit for requests that they refuse, so refused requests are left out. Otherwise, an overload
  // would use up the limit without end, and every refusal would look right.
  const charged = uses.filter(({ fate }) => fate !== 'refused');
  const longest = longestWindow(window);
  const most = ({ most: amount, reserved }: LimitUse): number =>
    countFactor * (Number.isFinite(amount) ? amount : finite(reserved));
  const settledSums = sumsBy(charged, 'settled', most);
  const inFlight = sumInFlight(charged, (use) => Math.max(finite(use.reserved), most(use)));
  const bySettled = charged
    .map((use) => ({ ...use, most: most(use) }))
    .toSorted((a, b) => a.settled - b.settled);
  const begin = charged.reduce((least, { sent }) => Math.min(least, sent), Infinity);
  const levels = new Map<LimitUse, number>();
  const levelAt = leakyLevel(bySettled, limit / longest, begin);
  const refused = uses.filter(({ fate }) => fate === 'refused');
  for (const refusal of refused.toSorted((a, b) => a.sent - b.sent))
    levels.set(refusal, levelAt(refusal.sent));
  return (refusal) => {
    const since = (time: number): number =>
      settledSums.before(refusal.sent) - settledSums.before(refusal.sent - time);
    // A window is divided into `phaseParts` parts, and the phase of a weighted counter can lie in any part. For each
    // part, the sums are those at the end of the part, and the weight is that at the start of the part. So no phase
    // within the part gives a higher count.
    const weighted = Array.from({ length: phaseParts }, (_, part) => {
      const current = since((longest * (part + 1)) / phaseParts);
      const older = since((longest * (phaseParts + part + 1)) / phaseParts) - current;
      return current + older * (1 - part / phaseParts);
    });
    const used = Math.max(since(longest), levels.get(refusal) ?? 0, ...weighted);
    const asked = finite(refusal.reserved) || finite(refusal.most);
    return used + inFlight(refusal) + asked > limit || used + inFlight(refusal) >= limit;
  };
};
