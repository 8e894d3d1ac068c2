import type { LimitRule } from '../../../model/limits/limit-log.ts';
import { finite, leakyLevel, sumInFlight, sumsBy } from './early-refusals.ts';
import { longestWindow } from './rule-bounds.ts';
import type { LimitUse } from './token-uses.ts';

const phaseParts = 16;

/**
 * Creates a function that decides whether a limit may be used up when a request is refused. It may be if the possible
 * charges and the tokens of the request exceed the limit together. Charges count for one window, for a weighted counter
 * at any phase, or for a full bucket. An unknown amount counts as its largest reservation. If that is also unknown, it
 * counts as nothing, since it would explain every refusal. `countFactor` multiplies the amounts. Example: of 2,000,000
 * tokens 1,950,000 are used; a chat that asks for 60,000 may be refused.
 */
export const mayBeUsedUp = (
  uses: readonly LimitUse[],
  { limit, window }: LimitRule,
  countFactor = 1,
): ((refusal: LimitUse) => boolean) => {
  // A gateway that charges a limit for its own refusals is rare. After an overload, such a charge would explain every
  // refusal.
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
    // Each part holds the phases from `part` to `part + 1`. The sums are those of its end, the weight is that of its
    // begin. So no phase between two tried ones finds more use.
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
