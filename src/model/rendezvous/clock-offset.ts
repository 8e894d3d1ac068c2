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

/** How fast two clocks drift apart at most, in ms each ms: Linux slews each by up to 500 ppm. */
const maxDrift = 1e-3;

/**
 * The offset of the own clock from the other after the last of several round trips; `null` without any. The other clock was read
 * at some moment of each round trip, whatever way took how long, so each bounds the offset from both sides; what all of
 * them allow is the answer (Marzullo, as in NTP, RFC 5905), each widened by what the clocks can have drifted since.
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
  // A clock was set in between: only the last round trip speaks of it as it is now.
  return offsetFrom([last]);
};

/** The offset that was used from `first` on, with the error that it had at any moment until `last`, if the clocks drifted apart evenly. */
export const offsetOver = (first: ClockOffset, last: ClockOffset): ClockOffset => ({
  offset: first.offset,
  uncertainty: Math.max(first.uncertainty, Math.abs(last.offset - first.offset) + last.uncertainty),
});
