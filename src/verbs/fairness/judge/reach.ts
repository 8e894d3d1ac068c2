import { criticalT } from '../../../judge/statistics/student-t.ts';

/**
 * This file computes how many pairs of blocks a verdict needs. A pair has a block with noise and a block without noise.
 * A rise is how much higher the figure is with noise. Before the run, the scatter of the response times is assumed.
 * After the run, the scatter of the rises is known.
 */

/** The probability that a confidence interval misses the true value. */
export const alpha = 0.05;

/** The largest allowed rise of the share of failed requests: one in a hundred. */
export const maxFailed = 0.01;

/** The maximum number of pairs that a forecast considers. */
export const mostPairs = 500;

const firstPairs = (least: number, isEnough: (pairs: number) => boolean): number | null => {
  for (let pairs = least; pairs <= Math.max(mostPairs, least); pairs += 1)
    if (isEnough(pairs)) return pairs;
  return null;
};

/** The planned blocks. `requests` is the number of requests of the quiet population that are due in each block. */
interface PlannedBlocks {
  readonly q: number;
  readonly requests: number;
  readonly pairs: number;
}

/**
 * Returns half the width of the confidence interval of the mean rise, as a share, if response times are distributed
 * exponentially. The width is computed from the standard error of the quantile `q`.
 */
export const foreseenHalf = ({ q, requests, pairs }: PlannedBlocks): number => {
  const error = Math.sqrt(q / ((1 - q) * requests)) / -Math.log(1 - q);
  return Math.expm1(criticalT(alpha, pairs - 1) * error * Math.sqrt(2 / pairs));
};

/**
 * If this many requests with noise and as many without it all succeed, failures certainly rose by at most `maxFailed`
 * (Wilson interval).
 */
export const leastRequests = Math.ceil(1.96 ** 2 * (1 / maxFailed - 1));

/**
 * Returns the smallest number of pairs, at least `blocks.pairs`, that should prove isolation if the noisy population
 * does not affect the quiet population; `null` if 500 pairs are not enough.
 */
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

/**
 * The logarithms of the rises in the pairs of blocks. `low` has the lowest rises, and `high` the highest rises, that
 * the delays of the load generator allow.
 */
export interface SeenRises {
  readonly low: Scatter;
  readonly high: Scatter;
  readonly pairs: number;
}

/**
 * Returns the smallest number of pairs, greater than the run's number `pairs`, with which the whole confidence interval
 * of the mean rise would lie on one side of `maxMoved`; `null` if 500 pairs are not enough.
 */
export const pairsToDecide = ({ low, high, pairs }: SeenRises, maxMoved: number): number | null => {
  const limit = Math.log1p(maxMoved);
  const half = ({ deviation }: Scatter, count: number): number =>
    (criticalT(alpha, count - 1) * deviation) / Math.sqrt(count);
  return firstPairs(
    pairs + 1,
    (count) => high.mean + half(high, count) <= limit || low.mean - half(low, count) > limit,
  );
};
