import type { LimitRule } from '../../../model/limits/limit-log.ts';
import { cumulativeSums } from './count-instants.ts';
import { limiterMemory, longestWindow } from './rule-bounds.ts';
import type { LimitUse } from './token-uses.ts';

export const finite = (amount: number): number => (Number.isFinite(amount) ? amount : 0);

/**
 * Returns two functions of an instant: the sum of `amountOf` over the uses that were sent (or settled) before the
 * instant, and the sum up to and including it.
 */
export const sumsBy = (
  uses: readonly LimitUse[],
  at: 'sent' | 'settled',
  amountOf: (use: LimitUse) => number,
) => cumulativeSums(uses.map((use) => ({ at: use[at], weight: amountOf(use) })));

/**
 * Returns a function that sums `amountOf` over all requests that may be in flight while the gateway decides on a given
 * request.
 */
export const sumInFlight = (uses: readonly LimitUse[], amountOf: (use: LimitUse) => number) => {
  const bySent = sumsBy(uses, 'sent', amountOf);
  const bySettled = sumsBy(uses, 'settled', amountOf);
  return ({ sent, answered }: Pick<LimitUse, 'sent' | 'answered'>): number =>
    bySent.upTo(answered) - bySettled.before(sent);
};

/**
 * Returns a function that computes how full a leaky bucket is at a given moment, if each charge comes as late as
 * possible. The bucket leaks at `rate` until it is empty. The function must be called with ascending moments.
 */
export const leakyLevel = (settled: readonly LimitUse[], rate: number, begin: number) => {
  let level = 0;
  let at = begin;
  let next = 0;
  const leak = (moment: number): void => {
    level = Math.max(0, level - rate * Math.max(0, moment - at));
    at = Math.max(at, moment);
  };
  return (moment: number): number => {
    for (; next < settled.length && settled[next]!.settled < moment; next += 1) {
      leak(settled[next]!.settled);
      level += finite(settled[next]!.most);
    }
    leak(moment);
    return level;
  };
};

/** A bucket of tokens counts as compliant only if it holds at least this share of the limit. */
export const smallestBucket = 1 / 4;
/**
 * Refused requests are divided by size into at most this many classes. Each class is judged separately, since a larger
 * request leaves a lower rate for other requests.
 */
const sizeClasses = 32;

/**
 * Returns a function that lists amounts that a client may use at once, in addition to the reservation of a refused
 * request. Each amount is one of the given shares of the limit, but at most the size of the smallest bucket minus the
 * reservation. A larger amount permits a lower rate afterwards.
 */
export const amountsAtOnce =
  (shares: readonly number[]) =>
  (limit: number, reserved: number): readonly number[] =>
    shares
      .map((share) => Math.min(share * limit, smallestBucket * limit - reserved))
      .filter((amount) => amount > 0);

export const tokensAtOnce = amountsAtOnce([1 / 5, 1 / 6, 1 / 8]);

interface Client {
  readonly uses: readonly LimitUse[];
  /**
   * Returns the amounts to try. Each is an amount that the client may use at once, besides a request that reserves
   * `reserved`.
   */
  readonly atOnce: (limit: number, reserved: number) => readonly number[];
}

/**
 * Finds the refusals of a client that certainly stayed below its limit. Let b be an amount that the client may use at
 * once, and r the reservation of the refused request. The rate ρ is (limit − b − r) / (longest window). The client
 * stayed below the limit if, for every earlier moment, at most b + ρ · (time since the moment) was charged since the
 * moment. The following limiters admit such a client, at whatever moment they charge: fixed windows of any phase, logs,
 * weighted counters, and buckets that hold b and one request. A refusal is skipped if the charge of any request in the
 * two windows before the refusal is unknown.
 */
export const earlyRefusals = (
  refusals: readonly LimitUse[],
  { uses, atOnce }: Client,
  rule: LimitRule,
): readonly LimitUse[] => {
  if (refusals.length === 0) return [];
  const { limit } = rule;
  const settled = uses.toSorted((a, b) => a.settled - b.settled);
  const begin = uses.reduce((least, { sent }) => Math.min(least, sent), Infinity);
  const inFlight = sumInFlight(uses, ({ reserved }) => finite(reserved));
  const unknownInFlight = sumInFlight(uses, ({ reserved }) => Number(reserved === Infinity));
  const memory = limiterMemory(rule);
  const unsettled = uses.filter(({ most }) => most === Infinity);
  const unknownLately = sumInFlight(
    unsettled.map((use) => ({ ...use, settled: use.settled + memory })),
    () => 1,
  );
  const known = refusals.filter(
    (refusal) =>
      refusal.reserved < limit && unknownInFlight(refusal) + unknownLately(refusal) === 0,
  );
  const bySize = Map.groupBy(known, ({ reserved }) => Math.ceil((sizeClasses * reserved) / limit));
  const early = new Set<LimitUse>();
  const findEarly = (group: readonly LimitUse[], reserved: number, amount: number): void => {
    const rate = (limit - reserved - amount) / longestWindow(rule.window);
    if (rate <= 0) return;
    const levelAt = leakyLevel(settled, rate, begin);
    for (const refusal of group) {
      const others = inFlight(refusal) - refusal.reserved;
      if (levelAt(refusal.sent) + others <= amount) early.add(refusal);
    }
  };
  for (const group of bySize.values()) {
    const reserved = Math.max(...group.map((each) => each.reserved));
    const ordered = group.toSorted((a, b) => a.sent - b.sent);
    for (const amount of atOnce(limit, reserved)) findEarly(ordered, reserved, amount);
  }
  return refusals.filter((refusal) => early.has(refusal));
};
