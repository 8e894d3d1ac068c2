import { canaryErrors } from '../../model/result/canary.ts';
import type { GeneratorSample, Result } from '../../model/result/result.ts';
import { measuredSeconds } from '../../model/result/summary.ts';

/**
 * The time by which this machine reads late for reasons outside the event loop: it waits for a CPU, or the loop does
 * not poll yet. `beyond(share)` is the delay in ms that at most this share of instants exceeds; infinite if it is
 * unknown.
 */
export interface ReadingErrors {
  readonly beyond: (share: number) => number;
}

interface Weighted {
  readonly value: number;
  readonly weight: number;
}

/**
 * Creates a function that returns the value that at most a share of the weight exceeds. `unknown` is the weight of
 * values that were not observed, which count as infinite.
 */
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
 * Computes the errors from the self-test streams. The error of each event excludes the time that it waited in the loop,
 * which is known for each request. Missing events have an unknown error.
 */
const byStreams = (samples: readonly GeneratorSample[]): ReadingErrors | null => {
  const { count, missing } = canaryErrors(samples);
  if (count === 0) return null;
  const values = samples.flatMap(({ canary }) =>
    (canary?.outside ?? canary?.errors ?? []).map(([value, weight]) => ({ value, weight })),
  );
  // Up to this share of the events is assigned to another second or lost at the edges of the seconds.
  const tolerated = 0.01;
  return { beyond: beyond(values, missing <= tolerated ? 0 : (count * missing) / (1 - missing)) };
};

/** The share of timers in a second that are later than its p99. They are late by at most its maximum. */
const rareShare = 0.01;
/** The delay between the kernel and the loop, in ms. */
const kernelDelay = 0.1;

/** Computes the errors from the lateness of the loop's timers, where no self-test streams ran. */
const byTimers = (samples: readonly GeneratorSample[]): ReadingErrors => ({
  beyond: beyond(
    samples.flatMap(({ delayP99, delayMax }) => [
      { value: delayP99 + kernelDelay, weight: 1 - rareShare },
      { value: delayMax + kernelDelay, weight: rareShare },
    ]),
    0,
  ),
});

/** Computes the reading errors of a run: at each share the largest of any slice. */
export const readingErrorsOf = (result: Result): ReadingErrors => {
  const slices = result.slices.map((slice) => {
    const samples = measuredSeconds(result, slice.generator);
    return byStreams(samples) ?? byTimers(samples);
  });
  // Every figure asks for the same few shares, and each answer scans all samples of the run.
  const known = new Map<number, number>();
  return {
    beyond: (share) => {
      const found = known.get(share) ?? Math.max(...slices.map((slice) => slice.beyond(share)));
      known.set(share, found);
      return found;
    },
  };
};
