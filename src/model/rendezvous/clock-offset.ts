import { z } from 'zod';

/** How far one clock is ahead of another, in ms; the truth differs by at most `uncertainty`. */
export const clockOffsetSchema = z.strictObject({
  offset: z.number(),
  uncertainty: z.number().nonnegative(),
});
export type ClockOffset = z.infer<typeof clockOffsetSchema>;

/** One question to another clock: when it was asked and answered by the own clock, and the other's time, in ms. */
export interface RoundTrip {
  readonly asked: number;
  readonly other: number;
  readonly answered: number;
}

/**
 * The offset of the own clock from the other by the quickest of several round trips; `null` without any. The other clock
 * was read at some moment of the round trip, so half of it bounds the error, whatever way took how long (NTP, RFC 5905).
 */
export const offsetFrom = (trips: readonly RoundTrip[]): ClockOffset | null => {
  const [best] = trips.toSorted((a, b) => a.answered - a.asked - (b.answered - b.asked));
  if (best === undefined) return null;
  const { asked, other, answered } = best;
  return { offset: (asked + answered) / 2 - other, uncertainty: (answered - asked) / 2 };
};

/** The offset that was used from `first` on, with the error that it had at any moment until `last`, if the clocks drifted apart evenly. */
export const offsetOver = (first: ClockOffset, last: ClockOffset): ClockOffset => ({
  offset: first.offset,
  uncertainty: Math.max(first.uncertainty, Math.abs(last.offset - first.offset) + last.uncertainty),
});
