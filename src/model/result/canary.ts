import { z } from 'zod';
import { canaryEventInterval } from './canary-timing.ts';
import type { Histogram } from '../measures/histogram.ts';

/**
 * The canary: self-test streams by which a run measures its own event loop. Each event contains the time at which the
 * event was sent. The arrival of an event therefore shows how late the event loop reads, independent of the target.
 */

export const canarySampleSchema = z.strictObject({
  /** The highest number of streams that were open at the same time. */
  streams: z.int().nonnegative(),
  /**
   * How late events were read, in ms: rounded (`roundedError`), in ascending order, each with the number of events that
   * were so late.
   */
  errors: z.array(z.tuple([z.number().nonnegative(), z.int().positive()])),
  /** Like `errors`, but without the time for which events may have waited in the event loop; absent in old results. */
  outside: z.array(z.tuple([z.number().nonnegative(), z.int().positive()])).optional(),
});
export type CanarySample = z.infer<typeof canarySampleSchema>;

/** Rounds a time in ms to a hundredth of a ms. A time of 1 ms or more is rounded to two digits. */
export const roundedError = (ms: number): number =>
  ms < 1 ? Math.round(ms * 100) / 100 : Number(ms.toPrecision(2));

export interface CanaryErrors extends Pick<Histogram, 'count' | 'max' | 'atRank'> {
  /** The highest number of streams that were open in any second. */
  readonly streams: number;
  /**
   * The share of the streams' planned events that were not read, from 0 to 1. If events are missing, the measurement is
   * not verified, because what delayed the sending process may also have delayed the run.
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

/** How late a run read the events of its self-test streams, in ms, over the same seconds as the figures of the run. */
export const errorBarSchema = z.strictObject({
  p50: z.number().nonnegative(),
  p99: z.number().nonnegative(),
  max: z.number().nonnegative(),
  events: z.int().positive(),
  /** The number of self-test streams in one event loop. */
  streams: z.int().positive(),
  /** The number of event loops with self-test streams, one for each worker or slice. */
  loops: z.int().positive(),
  missing: z.number().nonnegative(),
});
export type ErrorBar = z.infer<typeof errorBarSchema>;
