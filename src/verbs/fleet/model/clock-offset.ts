import type { ClockOffset } from '../../../model/rendezvous/clock-offset.ts';

/**
 * One question to another clock. `asked` and `answered` are the times of the question and of its answer on our clock.
 * `other` is the time in the answer. All times are in ms.
 */
export interface RoundTrip {
  readonly asked: number;
  readonly other: number;
  readonly answered: number;
}

/** The largest assumed drift between two clocks, in ms per ms. Linux adjusts each clock by up to 500 ppm. */
const maxDrift = 1e-3;

/**
 * Returns how far our clock is ahead of the other clock at the last of several round trips; `null` without a round
 * trip. Each trip bounds the offset, since the other clock was read between question and answer. Clocks drift, so the
 * bounds of earlier trips are widened. The result is the interval that all bounds allow (Marzullo's algorithm, as in
 * NTP, RFC 5905). Example: a question is sent at 100 and its answer, received at 110, says 60. Then our clock is ahead
 * by 40 to 50 ms. If another trip allows 35 to 44 ms, 40 to 44 ms remain: 42 ± 2 ms.
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
  // If the bounds exclude each other, a clock was set between the trips. Only the last trip is then valid.
  return offsetFrom([last]);
};

/** Returns the first offset, with the largest error that it can have had until the last measurement. */
export const offsetOver = (first: ClockOffset, last: ClockOffset): ClockOffset => ({
  offset: first.offset,
  uncertainty: Math.max(first.uncertainty, Math.abs(last.offset - first.offset) + last.uncertainty),
});
