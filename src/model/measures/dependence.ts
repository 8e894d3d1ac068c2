import { type Histogram, nearestRank, sumOfHistograms } from './histogram.ts';
import { designEffect, type Share, sumOfShares } from './share.ts';

/**
 * This file estimates how strongly the requests of a run depend on each other. Requests that wait in the same queue, or
 * fail in the same outage, are not independent samples: 10,000 dependent samples may be worth only 300 independent
 * samples. The estimate compares blocks of whole seconds. The more the blocks differ, the stronger is the dependence.
 */

/**
 * The numbers of blocks that are tried. `t` is the 97.5 % quantile of Student's t distribution with `blocks` − 1
 * degrees of freedom.
 */
export const blockings = [
  { blocks: 7, t: 2.446912 },
  { blocks: 10, t: 2.262157 },
  { blocks: 20, t: 2.093024 },
  { blocks: 40, t: 2.022691 },
] as const;

/** A confidence interval is computed only if at least this many seconds of the run have samples. */
export const leastSeconds = 10;

/** The normal quantile of a two-sided confidence of 95 %. */
export const z95 = 1.959963984540054;

/**
 * How strongly the samples of a run depend on each other. Both factors are at least 1, and exactly 1 for independent
 * samples.
 */
export interface Dependence {
  /** How many samples are worth one independent sample, for example 33 if 10,000 samples are worth 300. */
  readonly effect: number;
  /** `effect`, increased because a few blocks estimate it only roughly. Intervals are computed with `widening`. */
  readonly widening: number;
}

export const independence: Dependence = { effect: 1, widening: 1 };

/**
 * Returns the largest `effect` and the largest `widening` of several dependences; `null` if one of the dependences is
 * unknown.
 */
export const strongest = (all: readonly (Dependence | null)[]): Dependence | null => {
  const known = all.filter((each) => each !== null);
  if (known.length < all.length) return null;
  return {
    effect: Math.max(1, ...known.map(({ effect }) => effect)),
    widening: Math.max(1, ...known.map(({ widening }) => widening)),
  };
};

/**
 * Divides the consecutive seconds of a run into `count` blocks of nearly equal length, and sums the seconds of each
 * block.
 */
export const blocksOf = <T>(
  seconds: readonly T[],
  count: number,
  sum: (part: readonly T[]) => T,
): T[] =>
  Array.from({ length: count }, (_, block) =>
    sum(
      seconds.slice(
        Math.floor((block * seconds.length) / count),
        Math.floor(((block + 1) * seconds.length) / count),
      ),
    ),
  );

/**
 * Returns the strongest dependence over all numbers of blocks that the number of seconds allows; `null` for fewer than
 * ten seconds.
 */
const strongestOver = (
  seconds: number,
  sharesOf: (blocks: number) => readonly Share[],
): Dependence | null => {
  if (seconds < leastSeconds) return null;
  let [effect, widening] = [1, 1];
  for (const { blocks, t } of blockings) {
    if (blocks > seconds) break;
    const found = designEffect(sharesOf(blocks));
    effect = Math.max(effect, found);
    widening = Math.max(widening, found * (t / z95) ** 2);
  }
  return { effect, widening };
};

/**
 * Returns how strongly the cases of a share depend on each other, from consecutive whole seconds; `null` if fewer than
 * ten seconds have cases. A second without cases is left out, because such a second shows nothing about the share. The
 * seconds are summed into 7, 10, 20 and 40 blocks, and the strongest dependence counts. No method can detect a
 * dependence that lasts longer than the run.
 */
export const dependenceOfShare = (all: readonly Share[]): Dependence | null => {
  const seconds = all.filter(({ of }) => of > 0);
  return strongestOver(seconds.length, (blocks) => blocksOf(seconds, blocks, sumOfShares));
};

/**
 * Returns a function that says how strongly the samples depend on each other at a percentile `q`. Each element of `all`
 * has the samples that were due in one whole second. The function returns `null` if fewer than ten seconds have
 * samples. The dependence at the median also counts, because the few samples of a tail do not show every queue. The
 * function computes the dependence of equal values only once.
 */
export const dependenceOfPercentiles = (
  all: readonly Histogram[],
): ((q: number) => Dependence | null) => {
  const seconds = all.filter(({ count }) => count > 0);
  const whole = sumOfHistograms(seconds, 2);
  // The blocks are summed once for all percentiles, because a report asks for a hundred of them.
  const summed = new Map(
    blockings.map(({ blocks }) => [
      blocks as number,
      blocksOf(seconds, blocks, (block) => sumOfHistograms(block, 2)),
    ]),
  );
  const known = new Map<number, Dependence | null>();
  const dependenceUpTo = (level: number): Dependence | null => {
    const value = whole.atRank(nearestRank(whole.count, level));
    const found =
      known.get(value) ??
      strongestOver(seconds.length, (blocks) =>
        summed.get(blocks)!.map((each) => ({ events: each.countUpTo(value), of: each.count })),
      );
    known.set(value, found);
    return found;
  };
  return (q) => (whole.count === 0 ? null : strongest([0.5, q].map(dependenceUpTo)));
};

/**
 * The numerator and the denominator of a ratio in one second. For a mean: the sum of the samples and their number. For
 * a rate: the number of events and of seconds.
 */
export interface Part {
  readonly sum: number;
  readonly of: number;
}

const sumOfParts = (parts: readonly Part[]): Part => ({
  sum: parts.reduce((total, { sum }) => total + sum, 0),
  of: parts.reduce((total, { of }) => total + of, 0),
});

/**
 * Returns half the width of the 95 % interval of a mean or a rate over consecutive whole seconds. Student's t is
 * applied to 7, 10, 20 and 40 blocks, and the widest interval counts. Returns `null` if fewer than ten seconds have
 * cases.
 */
export const halfWidthOfRatio = (all: readonly Part[]): number | null => {
  const seconds = all.filter((part) => part.of > 0);
  const { sum, of } = sumOfParts(seconds);
  if (seconds.length < leastSeconds || of === 0) return null;
  let widest = 0;
  for (const { blocks, t } of blockings) {
    if (blocks > seconds.length) break;
    let squares = 0;
    for (const part of blocksOf(seconds, blocks, sumOfParts))
      squares += (part.sum - (sum / of) * part.of) ** 2;
    widest = Math.max(widest, (t * Math.sqrt((blocks / (blocks - 1)) * squares)) / of);
  }
  return widest;
};
