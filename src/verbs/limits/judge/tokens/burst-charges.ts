import {
  isAdmitted,
  isRefused,
  type TokenLog,
  type TokenReply,
  usedTokens,
} from '../../model/token-log.ts';
import { type ChargeTerms, chargesOf } from './token-charges.ts';

/**
 * The charge of a burst, computed from the reported remaining tokens. A bucket that refills fast hides the charges of
 * single chats. After a burst the bucket is not full, so the following small chats show how fast the bucket refills.
 */
export interface BurstCharge {
  /** The lowest possible charge, as a multiple of the usage. */
  readonly least: number;
  /** The slowest refill, as a multiple of the limit in a window. */
  readonly refill: number;
}

/** A bucket that contains less than this share of its size is certainly being refilled. */
const notFull = 0.95;
/**
 * The minimum number of small chats that must show the same refill. Across this many chats, a refill that comes in
 * large steps does not look constant.
 */
const enoughTaps = 3;

/** Returns the slowest and the fastest refill between two reports of the remaining tokens, in tokens per ms. */
const refillBetween = (earlier: TokenReply, later: TokenReply, used: number) => {
  const rise = later.reported!.remaining - earlier.reported!.remaining;
  return {
    least: rise / (later.answered - earlier.sent),
    most: (rise + used) / Math.max(1, later.sent - earlier.answered),
  };
};

/**
 * Returns a refill rate that agrees with all pairs of consecutive small chats, in tokens per ms: the slowest possible
 * rate between the first and the last chat. Returns `null` if no rate agrees with all pairs.
 */
const steadyRefill = (taps: readonly TokenReply[]): number | null => {
  if (taps.length < enoughTaps) return null;
  const spans = taps
    .slice(1)
    .map((tap, i) => refillBetween(taps[i]!, tap, 2 * (tap.prompt + tap.maxTokens)));
  const least = Math.max(...spans.map((span) => span.least));
  const most = Math.min(...spans.map((span) => span.most));
  const whole = refillBetween(taps[0]!, taps.at(-1)!, 0).least;
  return least <= most && whole > 0 ? whole : null;
};

/**
 * Computes the charge of a burst that began with an idle key, from the remaining tokens that a small chat after the
 * burst reports. The charge is the tokens missing from the full bucket, plus the tokens certainly refilled since the
 * first charge. `full` is the largest amount of remaining tokens in the log. Returns `null` if the replies do not show
 * the charge.
 */
export const burstCharge = (
  replies: readonly TokenReply[],
  { rule, full }: Pick<TokenLog, 'rule'> & { readonly full: number },
  terms: ChargeTerms,
): BurstCharge | null => {
  const uses = chargesOf(replies, terms);
  const large = uses.filter((_, i) => !replies[i]!.isTap);
  const settled = Math.max(...large.map((use) => use.settled));
  const first = Math.min(
    ...large.filter(({ fate }) => fate === 'admitted').map((use) => use.settled),
  );
  const taps = replies.filter((reply) => {
    const left = reply.reported?.remaining ?? 0;
    const isRefilled = left > 0 && left < notFull * full;
    return reply.isTap && isAdmitted(reply) && reply.sent >= settled && isRefilled;
  });
  const refill = steadyRefill(taps);
  const [tap] = taps;
  if (refill === null || tap === undefined) return null;
  const used = replies.reduce((sum, reply, i) => {
    if (reply.sent > tap.answered) return sum;
    // A refused request may also be charged, so its maximum is added.
    return sum + (isRefused(reply) ? uses[i]!.most : (usedTokens(reply) ?? uses[i]!.most));
  }, 0);
  const charged = full - tap.reported!.remaining + refill * Math.max(0, tap.sent - first);
  return { least: charged / used, refill: (refill * rule.window) / rule.tokens };
};
