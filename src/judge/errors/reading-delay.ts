import { canaryErrors } from '../../model/result/canary.ts';
import type { GeneratorSample, Result } from '../../model/result/result.ts';
import { measuredSeconds } from '../../model/result/summary.ts';

/**
 * This file computes how late a machine reads the instants of events. It also computes what share of the requests is
 * likely to be read later than a given delay.
 */

/** Returns the delay, in ms, that at most the given share of the observed instants exceeds; infinity if unknown. */
type DelayBeyond = (share: number) => number;

/**
 * How late a machine reads instants. `instants` is the number of observed instants that show the delays; infinity if
 * this number is unknown.
 */
export interface ReadingDelay {
  readonly beyond: DelayBeyond;
  readonly instants: number;
}

/**
 * Creates a `DelayBeyond` from delays with their weights. `unknown` is the weight of the delays that were not observed.
 * Unobserved delays count as infinite.
 */
const delayBeyond = (
  delays: readonly (readonly [delay: number, weight: number])[],
  unknown: number,
): DelayBeyond => {
  const descending = delays.toSorted(([a], [b]) => b - a);
  const total = delays.reduce((sum, [, weight]) => sum + weight, unknown);
  return (share) => {
    let left = share * total - unknown;
    if (left < -1e-9 || total === 0) return Infinity;
    for (const [value, weight] of descending) {
      left -= weight;
      if (left < -1e-9) return value;
    }
    return 0;
  };
};

/**
 * The largest share of missing self-test events that is ignored, since some events count in a neighbouring second or
 * are lost between two seconds.
 */
const toleratedMissing = 0.01;

/** Computes the delays from the self-test streams. The time that events waited in the event loop is not included. */
const byStreams = (samples: readonly GeneratorSample[]): ReadingDelay | null => {
  const { count, missing } = canaryErrors(samples);
  if (count === 0) return null;
  const delays = samples.flatMap(({ canary }) => canary?.outside ?? canary?.errors ?? []);
  const unknown = missing <= toleratedMissing ? 0 : (count * missing) / (1 - missing);
  return { beyond: delayBeyond(delays, unknown), instants: count };
};

/** The assumed delay between the kernel and the event loop, in ms. */
const kernelDelay = 0.1;

/**
 * Computes the delays from the lateness of the event loop's timers. In each second, p50 stands for half of the
 * instants, p90 for 40 %, p99 for 9 % and the maximum for 1 %. Old results contain only the p99 and the maximum.
 */
const byTimers = (samples: readonly GeneratorSample[]): ReadingDelay => ({
  beyond: delayBeyond(
    samples.flatMap(({ late, delayP99, delayMax }) => [
      [(late?.p50 ?? delayP99) + kernelDelay, 0.5] as const,
      [(late?.p90 ?? delayP99) + kernelDelay, 0.4] as const,
      [(late?.p99 ?? delayP99) + kernelDelay, 0.09] as const,
      [delayMax + kernelDelay, 0.01] as const,
    ]),
    0,
  ),
  instants: Number.POSITIVE_INFINITY,
});

/**
 * Computes how late this machine reads for reasons outside the event loop: the loop waits for a CPU, or does not check
 * its sockets yet. For each share of instants, the slice with the longest delay is used.
 */
export const readingDelayOf = (result: Result): ReadingDelay => {
  const slices = result.slices.map((slice) => {
    const samples = measuredSeconds(result, slice.generator);
    return byStreams(samples) ?? byTimers(samples);
  });
  // The delays are remembered: every figure asks for the same few shares, and computing one delay takes all samples of
  // the run.
  const known = new Map<number, number>();
  const beyond = (share: number): number => {
    const found = known.get(share) ?? Math.max(...slices.map((slice) => slice.beyond(share)));
    known.set(share, found);
    return found;
  };
  return { beyond, instants: Math.min(...slices.map(({ instants }) => instants)) };
};

/** The 95 % quantile of the normal distribution. */
const z95OneSided = 1.645;

const likelyOfInstants = (share: number, n: number): number => {
  if (!Number.isFinite(n)) return share;
  const z = z95OneSided;
  const middle = share + z ** 2 / (2 * n);
  const width = z * Math.sqrt((share * (1 - share)) / n + (z / (2 * n)) ** 2);
  return Math.min(1, (middle + width) / (1 + z ** 2 / n));
};

/**
 * Returns the largest share of `count` requests that is likely to be late if the share `share` of all instants is late.
 * This largest share is the 95 % quantile of a binomial distribution in its normal approximation, rounded up to a whole
 * number of requests.
 */
const likelyOfRequests = (share: number, count: number): number => {
  const mean = count * share;
  return Math.ceil(mean + z95OneSided * Math.sqrt(mean * (1 - share)) - 1e-9) / count;
};

export const likelyShare = (share: number, count: number, { instants }: ReadingDelay): number =>
  likelyOfRequests(likelyOfInstants(share, instants), count);
