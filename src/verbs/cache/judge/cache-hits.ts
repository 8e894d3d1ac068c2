import { halfWidth, meanOf, varianceOf, welch } from '../../../judge/statistics/significance.ts';
import { criticalT } from '../../../judge/statistics/student-t.ts';
import type { InferredShare, KeptBounds, RepeatedPrompt } from '../model/cache-report.ts';

/**
 * This file decides whether answers came from a cache. The evidence is the number of cached tokens that answers report,
 * or else the times of the answers.
 */

export interface CacheReply {
  /** The time until the end of the answer, in ms. The answer has one token. */
  readonly took: number;
  /**
   * The number of tokens of the prompt, and the number of these tokens that came from a cache; `null` if not reported.
   */
  readonly tokens: number | null;
  readonly cached: number | null;
}

/**
 * Answers whose origin is known: answers to short prompts, to new long prompts, and to long prompts that were sent
 * again at once.
 */
export interface KnownReplies {
  readonly short: readonly CacheReply[];
  readonly fresh: readonly CacheReply[];
  readonly again: readonly CacheReply[];
}

/** Returns whether a reply comes from the cache; `null` if the reply does not show it. */
export type HitReader = (reply: CacheReply) => boolean | null;

/** The minimum variance of reply times, in ms². With a smaller variance, a few equal times would prove too much. */
const leastVariance = 0.25;
const alpha = 0.02;

const timesOf = (replies: readonly CacheReply[]): readonly number[] =>
  replies.map(({ took }) => took);

/** Returns the 98 % prediction interval for the time of one more reply, from the t-distribution. */
const prediction = (replies: readonly CacheReply[]): readonly [low: number, high: number] => {
  const times = timesOf(replies);
  const error = Math.sqrt(
    Math.max(leastVariance, varianceOf(times)) * (1 + 1 / Math.max(1, times.length)),
  );
  const half = criticalT(alpha, times.length - 1) * error;
  return [meanOf(times) - half, meanOf(times) + half];
};

const isReported = ({ cached, tokens }: CacheReply): boolean =>
  cached !== null && cached >= (tokens ?? 0) / 2 && cached > 0;

/**
 * Chooses how to recognise a hit: from reported tokens, or else from times. Times can show a hit only if the times of
 * new and of repeated prompts do not overlap. Returns `null` if neither tokens nor times can show a hit.
 */
export const chooseReader = ({
  fresh,
  again,
}: KnownReplies): { readonly seenBy: 'reported' | 'timed'; readonly isHit: HitReader } | null => {
  if (again.some(isReported) && !fresh.some(isReported))
    return {
      seenBy: 'reported',
      isHit: (reply) => (reply.cached === null ? null : isReported(reply)),
    };
  if (fresh.length < 3 || again.length < 3) return null;
  const [[least], [, most]] = [prediction(fresh), prediction(again)];
  if (most >= least) return null;
  return {
    seenBy: 'timed',
    isHit: ({ took }) => (took <= most ? true : took >= least ? false : null),
  };
};

/**
 * Estimates the cached share of a long prompt: the time that a repetition saves, divided by the extra time of a long
 * prompt compared with a short one.
 */
export const inferShare = ({ short, fresh, again }: KnownReplies): InferredShare | null => {
  if (Math.min(short.length, fresh.length, again.length) < 3) return null;
  const saved = welch(timesOf(again), timesOf(fresh), leastVariance);
  const cost = welch(timesOf(short), timesOf(fresh), leastVariance);
  const [half, halfOfCost] = [halfWidth(saved, 0.05), halfWidth(cost, 0.05)];
  if (cost.difference <= halfOfCost) return null;
  const within = (value: number): number => Math.min(1, Math.max(0, value));
  return {
    value: within(saved.difference / cost.difference),
    low: within((saved.difference - half) / (cost.difference + halfOfCost)),
    high: within((saved.difference + half) / (cost.difference - halfOfCost)),
  };
};

/**
 * The minimum number of lost prompts that shows at which age the cache loses prompts. Fewer prompts may have been lost
 * only because their repetitions reached a replica that does not hold them.
 */
export const leastLosses = 3;

/**
 * Finds the highest age at which a prompt was kept and the lowest age at which a prompt was lost. A server may measure
 * a prompt's age from its arrival or from its answer. So the lower of these two ages is used for a kept prompt, and the
 * higher for a lost prompt.
 */
export const agesSeen = (repetitions: readonly RepeatedPrompt[]): KeptBounds => {
  const kept = Math.max(-1, ...repetitions.filter(({ hit }) => hit === true).map(({ age }) => age));
  const above = lossesIn(repetitions)
    .map(mostAge)
    .filter((most) => most > kept);
  return {
    kept: kept < 0 ? null : kept,
    lost: above.length === 0 ? null : Math.min(...above),
  };
};

const mostAge = ({ age, most = age }: RepeatedPrompt): number => most;

const lossesIn = (repetitions: readonly RepeatedPrompt[]): readonly RepeatedPrompt[] =>
  repetitions.filter(({ hit }) => hit === false);

/**
 * Finds the ages between which the cache loses a prompt, and whether the cache is steady. In a steady cache, all lost
 * prompts were older than all kept prompts, and no prompt was lost when it was repeated at once. The age of a loss is
 * unknown if the cache is not steady, or if few prompts were lost.
 */
export const boundsOf = (
  repetitions: readonly RepeatedPrompt[],
  again: readonly (boolean | null)[],
): { readonly age: KeptBounds; readonly isSteady: boolean } => {
  const { kept, lost } = agesSeen(repetitions);
  const losses = lossesIn(repetitions);
  const above = losses.filter((loss) => mostAge(loss) > (kept ?? -1));
  const isSteady = !again.includes(false) && above.length === losses.length;
  return { age: { kept, lost: isSteady && above.length >= leastLosses ? lost : null }, isSteady };
};
