import { z } from 'zod';

/** The time by which one clock is ahead of another, in ms. The true value differs by at most `uncertainty`. */
export const clockOffsetSchema = z.strictObject({
  offset: z.number(),
  uncertainty: z.number().nonnegative(),
});
export type ClockOffset = z.infer<typeof clockOffsetSchema>;

/**
 * A question to another clock, in ms: when our clock asked it and received the answer, and the time that the other
 * clock named.
 */
export interface RoundTrip {
  readonly asked: number;
  readonly other: number;
  readonly answered: number;
}

/** The largest drift between two clocks, in ms per ms: Linux adjusts each by up to 500 ppm. */
const maxDrift = 1e-3;

/**
 * Returns how far our clock was ahead of the other at the last of several round trips; `null` without any. Each trip
 * bounds the offset, since the other clock was read between question and answer. Each bound is widened by the possible
 * drift since then. The result is the interval that all bounds allow (Marzullo's algorithm, as in NTP, RFC 5905).
 * Example: a question at 100 whose answer comes at 110 and says 60 means that our clock is ahead by 40 to 50 ms. If
 * another trip allows 35 to 44 ms, 42 ± 2 ms remain.
 */
export const offsetFrom = (trips: readonly RoundTrip[]): ClockOffset | null => {
  const last = trips.at(-1);
  if (last === undefined) return null;
  const bounds = trips.map(({ asked, other, answered }) => {
    const drift = (last.answered - asked) * maxDrift;
    return [asked - other - drift, answered - other + drift] as const;
  });
  const least = Math.max(...bounds.map(([from]) => from));
  const most = Math.min(...bounds.map(([, to]) => to));
  if (least <= most) return { offset: (least + most) / 2, uncertainty: (most - least) / 2 };
  // A clock was set in between, so only the last round trip is valid.
  return offsetFrom([last]);
};

/**
 * Returns the first offset, which was used until the last was measured, with the largest error that it can have had by
 * then.
 */
export const offsetOver = (first: ClockOffset, last: ClockOffset): ClockOffset => ({
  offset: first.offset,
  uncertainty: Math.max(first.uncertainty, Math.abs(last.offset - first.offset) + last.uncertainty),
});
