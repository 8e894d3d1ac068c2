import { z } from 'zod';
import { canaryEventInterval } from './canary-timing.ts';
import type { Histogram } from '../measures/histogram.ts';

/**
 * The canary: self-test streams in the event loop of a run. Their events contain their send time, so their arrival
 * stamps show how late the loop reads, whatever the target does.
 */

export const canarySampleSchema = z.strictObject({
  /** The highest number of streams open at once. */
  streams: z.int().nonnegative(),
  /** The errors in ms (`roundedError`), ascending, each with its number of events. */
  errors: z.array(z.tuple([z.number().nonnegative(), z.int().positive()])),
  /** The same errors without the time that events can have waited in the loop; absent in old results. */
  outside: z.array(z.tuple([z.number().nonnegative(), z.int().positive()])).optional(),
});
export type CanarySample = z.infer<typeof canarySampleSchema>;

/** Rounds to a hundredth of a millisecond; from 1 ms on, to two digits. */
export const roundedError = (ms: number): number =>
  ms < 1 ? Math.round(ms * 100) / 100 : Number(ms.toPrecision(2));

export interface CanaryErrors extends Pick<Histogram, 'count' | 'max' | 'atRank'> {
  /** The most streams open in any second. */
  readonly streams: number;
  /**
   * The share of the streams' expected events that were not read, from 0 to 1. The time in which they are missing is
   * not verified, since whatever delayed the sending process may have delayed the run too.
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

/** The lateness with which a run read its self-test streams, in ms, over the seconds of its figures. */
export const errorBarSchema = z.strictObject({
  p50: z.number().nonnegative(),
  p99: z.number().nonnegative(),
  max: z.number().nonnegative(),
  events: z.int().positive(),
  /** The number of streams of one loop. */
  streams: z.int().positive(),
  /** The number of loops with a canary, one for each worker or slice. */
  loops: z.int().positive(),
  missing: z.number().nonnegative(),
});
export type ErrorBar = z.infer<typeof errorBarSchema>;
