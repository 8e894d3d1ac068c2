import type { LimiterDecision, LimitRule } from '../../../model/limits/limit-log.ts';
import type { LimiterFit } from '../../../model/limits/limiter-fit.ts';
import { usualCalmAnswer } from './answer-delays.ts';
import { type QueuePace, queuePace } from './queue-pace.ts';

/** The shortest delay that counts, in round trips. */
const minNoticeableRoundTrips = 3;

/** The minimum number of delayed requests from which a queue is concluded. */
const minQueuedRequests = 3;

/**
 * The minimum ratio of delayed admissions to refusals. A full queue refuses some requests, and everything it admits has
 * waited.
 */
const minQueuedShare = 0.1;

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** The admitted requests that a queue delays noticeably, as indexes in the log. */
export interface QueueDelays {
  /** The requests that were answered when a queue would have answered them. */
  readonly waited: readonly number[];
  /** The requests that a queue of the declared limit would have answered at another time. */
  readonly contradicted: readonly number[];
  /** The queue of another rate that explains the delays; `null` if a queue of the declared limit can explain them. */
  readonly other: LimiterFit | null;
  /**
   * Whether the rate proves nothing: a slow server can cause it, or it differs from the declared one by no more than
   * gateways round their windows.
   */
  readonly isDoubtful: boolean;
}

/** Returns the fit of a queue with this pace that contradicts `wrong` decisions. */
const otherQueue = ({ spacing }: QueuePace, limit: number, wrong: number): LimiterFit => {
  const { value, least, most } = spacing;
  return {
    limiter: 'leaky-queue',
    limit: { value: limit, least: limit, most: limit },
    window: { value: value * limit, least: least * limit, most: most * limit },
    parameters: {},
    wrong,
  };
};

/** The requests that were answered at the times of a queue, and those that it would have answered at another time. */
interface ComparedDelays {
  readonly explained: readonly number[];
  readonly contradicted: readonly number[];
}

/**
 * Returns the delays if their pace is another than that of the declared limit; `null` if a slow server can be the cause
 * and no queue explains them. After a burst only the pace is known, and `queue` is `null`.
 */
const delaysOfOther = (
  pace: QueuePace,
  limit: number,
  queue: ComparedDelays | null,
): QueueDelays | null => {
  const isDoubtful = pace.canBeServer || pace.match === 'doubtful';
  if (queue === null && isDoubtful) return null;
  const waited = queue?.explained ?? pace.waited;
  // The count of the queue and the count of the pace can both be too high because of other requests that waited, so the
  // smaller one is taken.
  const wrong = Math.min(queue?.contradicted.length ?? Infinity, pace.uneven);
  return {
    waited,
    contradicted: [...waited, ...(queue?.contradicted ?? [])],
    other: otherQueue(pace, limit, wrong),
    isDoubtful,
  };
};

type Admitted = readonly (readonly [index: number, decision: LimiterDecision])[];

/** Compares the answers with those of a queue that admits one request every `spacing` ms. */
const compareWithQueue = (
  admitted: Admitted,
  spacing: number,
  roundTrip: number,
): ComparedDelays => {
  const jitter = median(admitted.map(([, { sent, answered }]) => answered - sent - roundTrip));
  const tolerance = Math.min(spacing / 2, minNoticeableRoundTrips * roundTrip + spacing / 10);
  let free = Number.NEGATIVE_INFINITY;
  let earliest = Number.NEGATIVE_INFINITY;
  const explained: number[] = [];
  const contradicted: number[] = [];
  for (const [index, { sent, answered }] of admitted) {
    const dueThrough = Math.max(sent, free);
    // The queue follows the observed answers, so that one late answer is one contradiction, but returns to its schedule
    // after it.
    earliest = Math.max(sent, earliest);
    free = Math.max(earliest, Math.min(dueThrough + tolerance, answered - roundTrip)) + spacing;
    earliest += spacing;
    if (dueThrough - sent < Math.max(minNoticeableRoundTrips * roundTrip, spacing / 4)) continue;
    const error = Math.abs(answered - roundTrip - dueThrough);
    const isExplained = error <= tolerance + Math.min(jitter, spacing / 4);
    (isExplained ? explained : contradicted).push(index);
  }
  return { explained, contradicted };
};

/**
 * Compares the delays of the admitted requests with a queue that admits one every window / limit or, if their pace is
 * certain, at that pace. Returns `null` if too few requests waited, or if most of them waited otherwise than in a
 * queue.
 */
export const queueDelays = (
  log: readonly LimiterDecision[],
  rule: LimitRule,
): QueueDelays | null => {
  const admitted = [...log.entries()]
    .filter(([, decision]) => decision.admitted)
    .toSorted(([, a], [, b]) => a.sent - b.sent);
  // The first request never waits. The fastest answer is one round trip.
  const roundTrip = admitted.reduce(
    (least, [, { sent, answered }]) => Math.min(least, answered - sent),
    Infinity,
  );
  const pace = queuePace(log, rule);
  const isOfRule = pace === null || pace.match === 'own' || pace.match === 'near';
  // If a slow server can be the cause, or if the pace is only close to that of the limit, only a queue of the declared
  // limit is compared.
  const isCertain = pace !== null && (isOfRule ? pace.match === 'own' : !pace.canBeServer);
  const spacing = isCertain ? pace.spacing.value : rule.window / rule.limit;
  const compared = compareWithQueue(admitted, spacing, roundTrip);
  const { explained, contradicted } = compared;
  const waited = explained.length + contradicted.length;
  // An answer that took no longer than those at an even pace need not have waited.
  const calm = usualCalmAnswer(log, rule);
  const certain = explained.filter((index) => log[index]!.answered - log[index]!.sent > calm);
  const refused = log.length - admitted.length;
  const isQueue =
    waited >= minQueuedRequests &&
    contradicted.length <= waited / 2 &&
    certain.length >= Math.max(minQueuedRequests, explained.length / 2, minQueuedShare * refused);
  if (!isOfRule) return delaysOfOther(pace, rule.limit, isQueue ? compared : null);
  return isQueue ? { waited: explained, contradicted, other: null, isDoubtful: false } : null;
};
