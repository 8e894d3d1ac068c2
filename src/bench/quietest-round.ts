import type { Arrivals } from './arrival-client.ts';
import { keepsPace } from './kept-pace.ts';

/** What a client took of what it was sent, and how much that was: events a second, by the sender's own count. */
export interface Taken extends Arrivals {
  readonly sent: number;
}

/** Of one that fell behind: what it has not read yet is later than anything. */
const never = {
  ...{ p50: Number.POSITIVE_INFINITY, p99: Number.POSITIVE_INFINITY },
  ...{ medianP99: Number.POSITIVE_INFINITY, latest: Number.POSITIVE_INFINITY },
};

/**
 * The round in which a client was least late: what else runs on the machine only adds, so that one shows most
 * of what the client does itself. A round in which less was sent than the pace, in events a second, had less
 * to be late with and does not count; `null` where none counts.
 */
export const quietestRound = (rounds: readonly Taken[], pace: number): Taken | null => {
  const [quietest] = rounds
    .filter(({ sent }) => keepsPace(sent, pace))
    .map((round) =>
      keepsPace(round.rate, round.sent) ? round : { ...round, error: { ...round.error, ...never } },
    )
    .toSorted((one, other) => (one.error.medianP99 < other.error.medianP99 ? -1 : 1));
  return quietest ?? null;
};
