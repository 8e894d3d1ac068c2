import { type Histogram, sumOfHistograms } from './histogram.ts';
import { designEffect, type Share, sumOfShares } from './share.ts';

/**
 * Requests that wait in one queue, or fail in one outage, do not count as independent samples: a run of
 * 10,000 can know as little as 300 independent ones would. This file finds out how much less it knows, from
 * how much blocks of whole seconds differ.
 */

/** Each number of blocks, and Student's t that is exceeded with 5 % on both sides at one degree of freedom fewer. */
const blockings = [
  { blocks: 7, t: 2.446912 },
  { blocks: 10, t: 2.262157 },
  { blocks: 20, t: 2.093024 },
  { blocks: 40, t: 2.022691 },
] as const;

/** Shorter runs have no interval. */
const leastSeconds = 10;

const normal = 1.959964;

/** How much less a run's samples know than as many independent ones; both are at least 1. */
export interface Dependence {
  /** Samples divided by it are those that weigh as independent ones. */
  readonly effect: number;
  /** The same, with an allowance for how few the blocks are; intervals divide by it. */
  readonly widening: number;
}

/** The dependence of independent samples. */
export const independence: Dependence = { effect: 1, widening: 1 };

/** Returns the stronger of several dependences; `null` if one is unknown. */
export const strongest = (all: readonly (Dependence | null)[]): Dependence | null => {
  const known = all.filter((each) => each !== null);
  if (known.length < all.length) return null;
  return {
    effect: Math.max(1, ...known.map(({ effect }) => effect)),
    widening: Math.max(1, ...known.map(({ widening }) => widening)),
  };
};

/** Sums a run's consecutive seconds to blocks of as equal a length as whole seconds allow. */
const blocksOf = <T>(seconds: readonly T[], count: number, sum: (part: readonly T[]) => T): T[] =>
  Array.from({ length: count }, (_, block) =>
    sum(
      seconds.slice(
        Math.floor((block * seconds.length) / count),
        Math.floor(((block + 1) * seconds.length) / count),
      ),
    ),
  );

/**
 * Returns how much a share's cases depend on each other, by its consecutive whole seconds; `null` if they are fewer
 * than ten. The longest dependence counts: seconds are tried in 7, 10, 20 and 40 blocks. A dependence that lasts longer
 * than the run is not seen by any method.
 */
export const dependenceOfShare = (seconds: readonly Share[]): Dependence | null => {
  if (seconds.length < leastSeconds) return null;
  let [effect, widening] = [1, 1];
  for (const { blocks, t } of blockings) {
    if (blocks > seconds.length) break;
    const found = designEffect(blocksOf(seconds, blocks, sumOfShares));
    effect = Math.max(effect, found);
    widening = Math.max(widening, found * (t / normal) ** 2);
  }
  return { effect, widening };
};

/**
 * Returns how much the samples of a percentile depend on each other, by the samples due in each whole second; `null`
 * if the seconds are fewer than ten. The median counts, too: it shows queues that the few samples of a tail do not.
 */
export const dependenceOfPercentile = (
  seconds: readonly Histogram[],
  q: number,
): Dependence | null => {
  const whole = sumOfHistograms(seconds, 2);
  if (whole.count === 0 || seconds.length < leastSeconds) return null;
  const shareUpTo = (level: number): readonly Share[] => {
    const value = whole.atRank(Math.max(1, Math.ceil(whole.count * level - 1e-9)));
    return seconds.map((each) => ({ events: each.countUpTo(value), of: each.count }));
  };
  return strongest([0.5, q].map((level) => dependenceOfShare(shareUpTo(level))));
};

/** A sum and what it is divided by: a second's times and samples, or its events and its length. */
interface Part {
  readonly sum: number;
  readonly of: number;
}

const sumOfParts = (parts: readonly Part[]): Part => ({
  sum: parts.reduce((total, { sum }) => total + sum, 0),
  of: parts.reduce((total, { of }) => total + of, 0),
});

/**
 * Returns half the width of the 95 % interval of a mean or a rate over consecutive whole seconds: by Student's t over
 * blocks, the widest of 7, 10, 20 and 40. It is `null` for fewer than ten seconds, or without cases.
 */
export const halfWidthOfRatio = (seconds: readonly Part[]): number | null => {
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
