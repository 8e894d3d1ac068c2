import { z } from 'zod';
import { canaryEventInterval } from './canary-timing.ts';
import type { Histogram } from '../measures/histogram.ts';

/**
 * The canary: further streams, read in the loop that reads a run's own, whose events tell when they
 * were sent. How much later they are stamped is the loop's own error, whatever the target does.
 */

/** One second of one loop's canary. */
export const canarySampleSchema = z.strictObject({
  /** The most streams that were open at once. */
  streams: z.int().nonnegative(),
  /** Errors in ms, each a `roundedError`, and how many events had it; ascending. */
  errors: z.array(z.tuple([z.number().nonnegative(), z.int().positive()])),
});
export type CanarySample = z.infer<typeof canarySampleSchema>;

/** Errors are kept to a hundredth of a millisecond; from a millisecond on, to two digits. */
export const roundedError = (ms: number): number =>
  ms < 1 ? Math.round(ms * 100) / 100 : Number(ms.toPrecision(2));

/** The errors of some seconds of some loops together. */
export interface CanaryErrors extends Pick<Histogram, 'count' | 'max' | 'atRank'> {
  /** The most streams that were open in one of the seconds. */
  readonly streams: number;
  /**
   * The share of the events of so many streams that were not read, from 0 to 1. While their own process is
   * held up none are sent, and what held it up may have held up the run: they cannot vouch for that time.
   */
  readonly missing: number;
}

export const canaryErrors = (
  samples: Iterable<{ readonly canary?: CanarySample | null | undefined }>,
): CanaryErrors => {
  const times = new Map<number, number>();
  let count = 0;
  let streams = 0;
  let seconds = 0;
  for (const { canary } of samples) {
    seconds += 1;
    streams = Math.max(streams, canary?.streams ?? 0);
    for (const [error, events] of canary?.errors ?? []) {
      times.set(error, (times.get(error) ?? 0) + events);
      count += events;
    }
  }
  const sent = streams * seconds * (1000 / canaryEventInterval);
  const ascending = [...times].toSorted(([a], [b]) => a - b);
  return {
    streams,
    count,
    max: ascending.at(-1)?.[0] ?? null,
    missing: sent === 0 ? 1 : Math.max(0, 1 - count / sent),
    atRank: (rank) => {
      let reached = 0;
      for (const [error, events] of ascending) {
        reached += events;
        if (reached >= rank) return error;
      }
      throw new RangeError(`rank ${rank} is outside 1 … ${count}`);
    },
  };
};

/** How late a run's instants of arrival are, by its canary, over the seconds that its figures hold; in ms. */
export const errorBarSchema = z.strictObject({
  p50: z.number().nonnegative(),
  p99: z.number().nonnegative(),
  max: z.number().nonnegative(),
  events: z.int().positive(),
  /** Canary streams of one loop. */
  streams: z.int().positive(),
  /** Loops that read a canary: one, or one for each worker or slice. */
  loops: z.int().positive(),
  /** The share of its events that were not read, from 0 to 1. */
  missing: z.number().nonnegative(),
});
export type ErrorBar = z.infer<typeof errorBarSchema>;
