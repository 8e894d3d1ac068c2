import type { LimiterDecision, LimitRule } from '../../../model/limits/limit-log.ts';
import { usualCalmAnswer } from './answer-delays.ts';

/** Shorter delays, in round trips, are ignored. */
const minNoticeableRoundTrips = 3;

/** Minimum delayed requests for a conclusion from delays. */
const minQueuedRequests = 3;

/** Under a load that a full queue refuses in part, whatever it admits has waited: at least this share of what it refuses. */
const minQueuedShare = 0.1;

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Admitted requests that a queue would delay noticeably, as indexes in the log. */
export interface QueueDelays {
  /** Those that were answered when such a queue would answer them. */
  readonly explained: readonly number[];
  /** Those that were answered at another time. */
  readonly contradicted: readonly number[];
}

/**
 * Compares the delays of the admitted requests with a queue that admits one every window / limit. `null`
 * if too few waited, or most of them not as in a queue.
 */
export const queueDelays = (
  log: readonly LimiterDecision[],
  { limit, window }: LimitRule,
): QueueDelays | null => {
  const admitted = [...log.entries()]
    .filter(([, decision]) => decision.admitted)
    .toSorted(([, a], [, b]) => a.sent - b.sent);
  const spacing = window / limit;
  // The first request never waits; the fastest answer is one round trip.
  const roundTrip = admitted.reduce(
    (least, [, { sent, answered }]) => Math.min(least, answered - sent),
    Infinity,
  );
  const jitter = median(admitted.map(([, { sent, answered }]) => answered - sent - roundTrip));
  const tolerance = Math.min(spacing / 2, minNoticeableRoundTrips * roundTrip + spacing / 10);
  let free = Number.NEGATIVE_INFINITY;
  const explained: number[] = [];
  const contradicted: number[] = [];
  for (const [index, { sent, answered }] of admitted) {
    const dueThrough = Math.max(sent, free);
    // Follow the observed answers, so that one late answer is one mistake.
    free = Math.max(dueThrough, Math.min(dueThrough + tolerance, answered - roundTrip)) + spacing;
    if (dueThrough - sent < Math.max(minNoticeableRoundTrips * roundTrip, spacing / 4)) continue;
    const error = Math.abs(answered - roundTrip - dueThrough);
    const isExplained = error <= tolerance + Math.min(jitter, spacing / 4);
    (isExplained ? explained : contradicted).push(index);
  }
  const waited = explained.length + contradicted.length;
  // What takes no longer than answers at an even pace need not have waited at all.
  const calm = usualCalmAnswer(log, { limit, window });
  const certain = explained.filter((index) => log[index]!.answered - log[index]!.sent > calm);
  const refused = log.length - admitted.length;
  const isQueue =
    waited >= minQueuedRequests &&
    contradicted.length <= waited / 2 &&
    certain.length >= Math.max(minQueuedRequests, explained.length / 2, minQueuedShare * refused);
  return isQueue ? { explained, contradicted } : null;
};
