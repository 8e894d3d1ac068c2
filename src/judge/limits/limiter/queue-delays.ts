import type { LimiterDecision, LimitRule } from '../../../model/limits/limit-log.ts';

/** How the waiting times of a log fit a queue that lets one request through every window / limit. */
export interface QueueDelays {
  /** Requests that such a queue would have kept waiting for longer than a round trip can hide. */
  readonly waited: number;
  /** Those of them that were answered at another time than it says. */
  readonly wrong: number;
}

/** A wait shorter than this many usual round trips is no wait. */
const minNoticeableTrips = 3;

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Replays the queue over the admitted requests, in the order in which they were sent. */
export const queueDelays = (
  log: readonly LimiterDecision[],
  { limit, window }: LimitRule,
): QueueDelays => {
  const admitted = log.filter((decision) => decision.admitted).toSorted((a, b) => a.sent - b.sent);
  const spacing = window / limit;
  // The first of all never waits; nothing is faster than the fastest.
  const roundTrip = admitted.reduce(
    (least, { sent, answered }) => Math.min(least, answered - sent),
    Infinity,
  );
  const jitter = median(admitted.map(({ sent, answered }) => answered - sent - roundTrip));
  const tolerance = Math.min(spacing / 2, minNoticeableTrips * roundTrip + spacing / 10);
  let free = Number.NEGATIVE_INFINITY;
  let waited = 0;
  let wrong = 0;
  for (const { sent, answered } of admitted) {
    const dueThrough = Math.max(sent, free);
    // What really came tells where the queue stands, so that one late answer is one mistake.
    free = Math.max(dueThrough, Math.min(dueThrough + tolerance, answered - roundTrip)) + spacing;
    if (dueThrough - sent < Math.max(minNoticeableTrips * roundTrip, spacing / 4)) continue;
    waited += 1;
    if (Math.abs(answered - roundTrip - dueThrough) > tolerance + Math.min(jitter, spacing / 4))
      wrong += 1;
  }
  return { waited, wrong };
};
