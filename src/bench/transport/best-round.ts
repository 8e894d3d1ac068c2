import { sustainsRate } from '../harness/statistics.ts';
import type { Arrivals } from './arrival-client.ts';

/** What a client measured, and the events per second that the server sent by its own count. */
export interface ArrivalMeasurement extends Arrivals {
  readonly sentRate: number;
}

/** Of a client that fell behind: events that it has not read yet are later than any other. */
const infinitelyLate = { p50: Infinity, p99: Infinity, medianP99: Infinity, max: Infinity };

/**
 * The round with the least lateness: other load on the machine only adds time, so this round shows most of what
 * the client does itself. A round does not count if the server did not sustain `rate`, in events per second; `null`
 * if none counts.
 */
export const bestArrivalRound = (
  rounds: readonly ArrivalMeasurement[],
  rate: number,
): ArrivalMeasurement | null => {
  const [best] = rounds
    .filter(({ sentRate }) => sustainsRate(sentRate, rate))
    .map((round) =>
      sustainsRate(round.rate, round.sentRate)
        ? round
        : { ...round, error: { ...round.error, ...infinitelyLate } },
    )
    .toSorted((one, other) => (one.error.medianP99 < other.error.medianP99 ? -1 : 1));
  return best ?? null;
};
