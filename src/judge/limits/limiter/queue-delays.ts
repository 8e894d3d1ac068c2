import type { LimiterDecision, LimitRule } from '../../../model/limits/limit-log.ts';
import type { LimiterFit } from '../../../model/limits/limiter-fit.ts';
import { usualCalmAnswer } from './answer-delays.ts';
import { type QueuePace, queuePace } from './queue-pace.ts';

/** Shorter delays, in round trips, are ignored. */
const minNoticeableRoundTrips = 3;

/** Minimum delayed requests for a conclusion from delays. */
const minQueuedRequests = 3;

/** Under a load that a full queue refuses in part, whatever it admits has waited: at least this share of what it refuses. */
const minQueuedShare = 0.1;

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Admitted requests that a queue delays noticeably, as indexes in the log. */
export interface QueueDelays {
  /** Those that were answered when a queue would answer them. */
  readonly waited: readonly number[];
  /** Those that a queue of the declared limit would have answered at another time. */
  readonly contradicted: readonly number[];
  /** The queue of another rate behind the delays; `null` if it can be that of the declared limit. */
  readonly other: LimiterFit | null;
  /** Whether that rate can be a server's that is no faster, or is off by no more than gateways miss a window by. */
  readonly isDoubtful: boolean;
}

/** The queue of a pace, which contradicts so many decisions. */
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

/** The requests that were answered at the times of a queue, and the others that such a queue would have delayed. */
interface ComparedDelays {
  readonly explained: readonly number[];
  readonly contradicted: readonly number[];
}

/** The delays that show the pace of another rate, if a queue is behind them or, as after a burst, only the pace; `null` if that proves nothing. */
const delaysOfOther = (
  pace: QueuePace,
  limit: number,
  queue: ComparedDelays | null,
): QueueDelays | null => {
  const isDoubtful = pace.canBeServer || pace.match === 'doubtful';
  if (queue === null && isDoubtful) return null;
  const waited = queue?.explained ?? pace.waited;
  // Requests of other kinds that waited, too, delay some at other times, but not those of the pace.
  const wrong = Math.min(queue?.contradicted.length ?? Infinity, pace.uneven);
  return {
    waited,
    contradicted: [...waited, ...(queue?.contradicted ?? [])],
    other: otherQueue(pace, limit, wrong),
    isDoubtful,
  };
};

type Admitted = readonly (readonly [index: number, decision: LimiterDecision])[];

/** Compares with a queue that admits one request every `spacing` ms. */
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
    // Follow the observed answers, so that one late answer is one mistake, and back to the times without it.
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
 * Compares the delays of the admitted requests with a queue that admits one every window / limit, or as evenly at the pace
 * that they show. `null` if too few waited, or most of them not as in a queue.
 */
export const queueDelays = (
  log: readonly LimiterDecision[],
  rule: LimitRule,
): QueueDelays | null => {
  const admitted = [...log.entries()]
    .filter(([, decision]) => decision.admitted)
    .toSorted(([, a], [, b]) => a.sent - b.sent);
  // The first request never waits; the fastest answer is one round trip.
  const roundTrip = admitted.reduce(
    (least, [, { sent, answered }]) => Math.min(least, answered - sent),
    Infinity,
  );
  const pace = queuePace(log, rule);
  const isOfRule = pace === null || pace.match === 'own' || pace.match === 'near';
  // A server can have any pace, and one that is near is not certain: then only what looks like a queue of the limit is one.
  const isCertain = pace !== null && (isOfRule ? pace.match === 'own' : !pace.canBeServer);
  const spacing = isCertain ? pace.spacing.value : rule.window / rule.limit;
  const compared = compareWithQueue(admitted, spacing, roundTrip);
  const { explained, contradicted } = compared;
  const waited = explained.length + contradicted.length;
  // What takes no longer than answers at an even pace need not have waited at all.
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
