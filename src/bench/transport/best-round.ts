import type { Arrivals } from './arrival-client.ts';
import { sustainsRate } from '../harness/sustained-rate.ts';

/** What a client took of what it was sent, and how much that was: events a second, by the sender's own count. */
export interface ArrivalMeasurement extends Arrivals {
  readonly sentRate: number;
}

/** Of one that fell behind: what it has not read yet is later than anything. */
const infinitelyLate = {
  p50: Number.POSITIVE_INFINITY,
  p99: Number.POSITIVE_INFINITY,
  medianP99: Number.POSITIVE_INFINITY,
  latest: Number.POSITIVE_INFINITY,
};

/**
 * The round in which a client was least late: what else runs on the machine only adds, so that one shows most
 * of what the client does itself. A round in which less was sent than the pace, in events a second, had less
 * to be late with and does not count; `null` where none counts.
 */
export const bestArrivalRound = (
  rounds: readonly ArrivalMeasurement[],
  pace: number,
): ArrivalMeasurement | null => {
  const [best] = rounds
    .filter(({ sentRate }) => sustainsRate(sentRate, pace))
    .map((round) =>
      sustainsRate(round.rate, round.sentRate)
        ? round
        : { ...round, error: { ...round.error, ...infinitelyLate } },
    )
    .toSorted((one, other) => (one.error.medianP99 < other.error.medianP99 ? -1 : 1));
  return best ?? null;
};
