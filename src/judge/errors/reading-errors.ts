import { canaryErrors } from '../../model/result/canary.ts';
import type { GeneratorSample, Result } from '../../model/result/result.ts';
import { measuredSeconds } from '../../model/result/summary.ts';

/**
 * How late this machine reads what has arrived, apart from what runs in the loop at that moment: the time until the
 * process gets a CPU, and the loop's own state at any time. `beyond(share)` is the delay in ms that at most this share
 * of instants exceeds; infinite where that is unknown.
 */
export interface ReadingErrors {
  readonly beyond: (share: number) => number;
}

interface Weighted {
  readonly value: number;
  readonly weight: number;
}

/** The value that a share of the weight does not reach; `unknown` is the weight of values that were not seen. */
const beyond = (values: readonly Weighted[], unknown: number): ReadingErrors['beyond'] => {
  const descending = values.toSorted((a, b) => b.value - a.value);
  const total = values.reduce((sum, { weight }) => sum + weight, unknown);
  return (share) => {
    let left = share * total - unknown;
    if (left < -1e-9 || total === 0) return Number.POSITIVE_INFINITY;
    for (const { value, weight } of descending) {
      left -= weight;
      if (left < -1e-9) return value;
    }
    return 0;
  };
};

/**
 * By the self-test streams: each of their events has its error, without what it can have waited in the loop, which is
 * known for each request; missing events have an unknown one.
 */
const byStreams = (samples: readonly GeneratorSample[]): ReadingErrors | null => {
  const { count, missing } = canaryErrors(samples);
  if (count === 0) return null;
  const values = samples.flatMap(({ canary }) =>
    (canary?.outside ?? canary?.errors ?? []).map(([value, weight]) => ({ value, weight })),
  );
  // At the edges of the seconds up to this share of the events is counted in another run or not at all.
  const tolerated = 0.01;
  return { beyond: beyond(values, missing <= tolerated ? 0 : (count * missing) / (1 - missing)) };
};

/** What the p99 of a second says of the lateness of its timers: one in a hundred is later, at most by the maximum. */
const rareShare = 0.01;
/** Between the kernel and the loop, in ms. */
const kernelDelay = 0.1;

/** By the lateness of the loop's timers, where no self-test streams ran. */
const byTimers = (samples: readonly GeneratorSample[]): ReadingErrors => ({
  beyond: beyond(
    samples.flatMap(({ delayP99, delayMax }) => [
      { value: delayP99 + kernelDelay, weight: 1 - rareShare },
      { value: delayMax + kernelDelay, weight: rareShare },
    ]),
    0,
  ),
});

/** The reading errors of a run: at each share those of the worst slice. */
export const readingErrorsOf = (result: Result): ReadingErrors => {
  const slices = result.slices.map((slice) => {
    const samples = measuredSeconds(result, slice.generator);
    return byStreams(samples) ?? byTimers(samples);
  });
  // The same few shares are asked for every figure, and each scans all samples of the run.
  const known = new Map<number, number>();
  return {
    beyond: (share) => {
      const found = known.get(share) ?? Math.max(...slices.map((slice) => slice.beyond(share)));
      known.set(share, found);
      return found;
    },
  };
};
