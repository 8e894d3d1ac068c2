import {
  type ClockOffset,
  offsetFrom,
  type RoundTrip,
} from '../../model/rendezvous/clock-offset.ts';
import type { Rendezvous } from '../../model/rendezvous/rendezvous.ts';
import { steadyNow } from '../../platform/host/clock.ts';
import { Problem } from '../../platform/problem.ts';

/** At least so many round trips are made, and more until the offset is as exact as wanted, in ms. */
const leastTrips = 16;
const mostTrips = 64;
const wantedUncertainty = 1;

/**
 * How far this process's clock is ahead of the coordinator's. Throws a `Problem` if the coordinator leaves `patience` questions
 * without an answer.
 */
export const measureOffset = async (
  rendezvous: Rendezvous,
  patience: number,
): Promise<ClockOffset> => {
  const made: RoundTrip[] = [];
  let unanswered = 0;
  const isEnough = (): boolean =>
    made.length >= mostTrips ||
    (made.length >= leastTrips && offsetFrom(made)!.uncertainty <= wantedUncertainty);
  while (!isEnough()) {
    const asked = steadyNow();
    const other = await rendezvous.askTime();
    const answered = steadyNow();
    if (other !== null && Number.isFinite(other)) made.push({ asked, other, answered });
    else if ((unanswered += 1) >= patience) break;
  }
  const found = offsetFrom(made);
  if (found !== null) return found;
  throw new Problem(
    `the coordinator’s clock does not answer at ${rendezvous.name}: is weir coordinate still running there?`,
  );
};
