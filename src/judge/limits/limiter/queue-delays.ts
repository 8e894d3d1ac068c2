import type { LimiterDecision, LimitRule } from '../../../model/limits/limit-log.ts';

/** Compares the delays of a log with a queue that admits one request every window / limit. */
export interface QueueDelays {
  /** Requests that such a queue would delay noticeably. */
  readonly waited: number;
  /** Those answered at another time. */
  readonly wrong: number;
}

/** Shorter delays, in round trips, are ignored. */
const minNoticeableRoundTrips = 3;

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Replays the queue over the admitted requests, in the order in which they were sent. */
export const queueDelays = (
  log: readonly LimiterDecision[],
  { limit, window }: LimitRule,
): QueueDelays => {
  const admitted = log.filter((decision) => decision.admitted).toSorted((a, b) => a.sent - b.sent);
  const spacing = window / limit;
  // The first request never waits; the fastest answer is one round trip.
  const roundTrip = admitted.reduce(
    (least, { sent, answered }) => Math.min(least, answered - sent),
    Infinity,
  );
  const jitter = median(admitted.map(({ sent, answered }) => answered - sent - roundTrip));
  const tolerance = Math.min(spacing / 2, minNoticeableRoundTrips * roundTrip + spacing / 10);
  let free = Number.NEGATIVE_INFINITY;
  let waited = 0;
  let wrong = 0;
  for (const { sent, answered } of admitted) {
    const dueThrough = Math.max(sent, free);
    // Follow the observed answers, so that one late answer is one mistake.
    free = Math.max(dueThrough, Math.min(dueThrough + tolerance, answered - roundTrip)) + spacing;
    if (dueThrough - sent < Math.max(minNoticeableRoundTrips * roundTrip, spacing / 4)) continue;
    waited += 1;
    if (Math.abs(answered - roundTrip - dueThrough) > tolerance + Math.min(jitter, spacing / 4))
      wrong += 1;
  }
  return { waited, wrong };
};
