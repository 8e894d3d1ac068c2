import { isRefused, type TokenLog } from '../../model/token-log.ts';
import type { BurstEvidence } from './token-bursts.ts';
import { roundedCount } from './token-charges.ts';
import type { TokenGuards } from './token-guards.ts';

/**
 * The share of the limit that must certainly be used before a refusal shows the declared limit. This share is below 1,
 * since the gateway's own count may be higher than the usage, and since the refused prompt did not fit into the rest of
 * the limit.
 */
const wholeUse = 0.85;

/**
 * The minimum of `shareBefore`: the share of the limit and its refill that must certainly be used before a refusal. A
 * bucket of a lower limit does not reach this share.
 */
const wholeShare = 0.8;

/**
 * Returns a list with one reason why the bursts do not show that the gateway has the declared limit; an empty list if
 * two bursts show it.
 */
export const whyNotReached = (
  log: TokenLog,
  { hasRemaining }: TokenGuards,
  bursts: readonly BurstEvidence[],
): readonly string[] => {
  const below = bursts.filter(({ exceeded }) => exceeded === null);
  const before = below.flatMap(({ beforeRefusal }) => beforeRefusal ?? []);
  const whole = below.filter(
    ({ beforeRefusal, shareBefore }) =>
      (beforeRefusal ?? 0) >= wholeUse * log.rule.tokens && shareBefore >= wholeShare,
  );
  const idle = log.replies.reduce(
    (most, { reported }) => Math.max(most, reported?.remaining ?? 0),
    0,
  );
  const lowest = bursts.reduce(
    (least, { mostBeforeFirst }) => Math.min(least, mostBeforeFirst ?? Infinity),
    Infinity,
  );
  if (whole.length > 1 && lowest < wholeUse * log.rule.tokens)
    return [
      `a burst was first refused after at most ${roundedCount(lowest)} tokens: by a small bucket, by a lower limit, or by one of several that share a key`,
    ];
  if (idle > log.rule.tokens)
    return [
      `an idle key has ${roundedCount(idle)} tokens by its headers, more than ${roundedCount(log.rule.tokens)}`,
    ];
  const isWhole = !hasRemaining || idle >= wholeUse * log.rule.tokens;
  if (whole.length > 1)
    return isWhole
      ? []
      : [
          `an idle key has ${roundedCount(idle)} tokens by its headers: a small bucket, or a lower limit`,
        ];
  const byRequests = log.replies.filter(
    (reply) => reply.burst > 0 && isRefused(reply) && reply.unit === 'requests',
  ).length;
  if (byRequests > 0)
    return [`the limit of requests refused ${byRequests} of the bursts before that of tokens`];
  return before.length < 2
    ? ['not two bursts were refused for tokens']
    : [
        `a burst was refused after ${roundedCount(Math.min(...before))} tokens: by a small bucket, or by a lower limit`,
      ];
};
