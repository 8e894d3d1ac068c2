import { criticalT } from '../../../judge/statistics/student-t.ts';

/** This file computes how many pairs of blocks a verdict needs: beforehand of assumed scatter, afterwards of the observed one. */

/** The probability that an interval does not hold the truth. */
export const alpha = 0.05;

/** By how much the share of failures may rise: one in a hundred. */
export const maxFailed = 0.01;

/** No examination is expected to have more pairs than these, unless it is given more. */
export const mostPairs = 500;

const firstPairs = (least: number, isEnough: (pairs: number) => boolean): number | null => {
  for (let pairs = least; pairs <= Math.max(mostPairs, least); pairs += 1)
    if (isEnough(pairs)) return pairs;
  return null;
};

/** The blocks that are planned: the percentile, and the requests of the quiet population that are due in each. */
interface PlannedBlocks {
  readonly q: number;
  readonly requests: number;
  readonly pairs: number;
}

/**
 * Returns the half of the interval of the rise, as a share, if times scatter like an exponential: by the standard error
 * of its percentile.
 */
export const foreseenHalf = ({ q, requests, pairs }: PlannedBlocks): number => {
  const error = Math.sqrt(q / ((1 - q) * requests)) / -Math.log(1 - q);
  return Math.expm1(criticalT(alpha, pairs - 1) * error * Math.sqrt(2 / pairs));
};

/** The fewest requests of which none fails, with and without the noise, that exclude a rise of failures (Wilson). */
export const leastRequests = Math.ceil(1.96 ** 2 * (1 / maxFailed - 1));

/** Returns the pairs with which *isolated* is expected to be found where nothing moves; `null` if 500 are not enough. */
export const pairsToIsolate = (blocks: PlannedBlocks, maxMoved: number): number | null =>
  firstPairs(
    blocks.pairs,
    (pairs) =>
      pairs * blocks.requests >= leastRequests && foreseenHalf({ ...blocks, pairs }) <= maxMoved,
  );

interface Scatter {
  readonly mean: number;
  readonly deviation: number;
}

/** The logarithms of the rises, as low and as high as the load generator allows. */
export interface SeenRises {
  readonly low: Scatter;
  readonly high: Scatter;
  readonly pairs: number;
}

/** Returns the pairs with which the interval would lie on one side of `maxMoved`; `null` if 500 are not enough. */
export const pairsToDecide = ({ low, high, pairs }: SeenRises, maxMoved: number): number | null => {
  const limit = Math.log1p(maxMoved);
  const half = ({ deviation }: Scatter, count: number): number =>
    (criticalT(alpha, count - 1) * deviation) / Math.sqrt(count);
  return firstPairs(
    pairs + 1,
    (count) => high.mean + half(high, count) <= limit || low.mean - half(low, count) > limit,
  );
};
