import type { LimiterDecision, LimitRule } from '../../../model/limits/limit-log.ts';
import type { Fitted, LimiterFit } from '../../../model/limits/limiter-fit.ts';
import { longestWindow, shortestWindow } from '../facts/rule-bounds.ts';
import { usualCalmAnswer } from './answer-delays.ts';
import { countBefore } from '../facts/count-instants.ts';

/** The minimum number of consecutive answers that waited. Fewer answers do not show a pace. */
const minWaits = 10;
/** This share of a pace's estimates is dropped at each end, since a pause of the machine delays some answers. */
const trimmedShare = 0.1;
const nearDistance = 5;
const closeShare = 0.05;
/** For each request, a queue's timer may be late by up to this many ms. */
const timerLateness = 2;
/**
 * If a single request takes longer than this share of the time between two answers under load, a slow server can cause
 * the pace. A queue answers a single request at once, but a slow server takes as long for it as for a request under
 * load.
 */
const promptShare = 0.5;

interface Answer {
  readonly index: number;
  readonly answered: number;
}

/** Returns the shortest time from sending to answer of any admitted request, in ms. */
const fastestOf = (admitted: readonly (readonly [number, LimiterDecision])[]): number =>
  admitted.reduce((least, [, { sent, answered }]) => Math.min(least, answered - sent), Infinity);

/**
 * Finds the longest series of answers in which the request of each answer was certainly sent before the previous
 * answer.
 */
const longestRun = (log: readonly LimiterDecision[]): readonly Answer[] => {
  const admitted = [...log.entries()].filter(([, decision]) => decision.admitted);
  const starts = Float64Array.from(admitted, ([, { sent }]) => sent).sort();
  const fastest = fastestOf(admitted);
  const answers = admitted
    .map(([index, { answered }]): Answer => ({ index, answered }))
    .toSorted((a, b) => a.answered - b.answered);
  let longest: readonly Answer[] = [];
  let from = 0;
  for (const [place, { answered }] of answers.entries()) {
    const isNextWaiting = countBefore(starts, answered - fastest) >= place + 2;
    if (isNextWaiting) continue;
    if (place + 1 - from > longest.length) longest = answers.slice(from, place + 1);
    from = place + 1;
  }
  return longest;
};

const sortAscending = (values: readonly number[]): readonly number[] =>
  values.toSorted((a, b) => a - b);

const medianOf = (values: readonly number[]): number =>
  sortAscending(values)[Math.floor(values.length / 2)] ?? 0;

/**
 * Estimates the time between two answers, in ms: the median over pairs of answers that are `apart` places apart
 * (Theil–Sen).
 */
const spacingOf = (run: readonly Answer[], apart: number): Fitted => {
  const spacings = sortAscending(
    run.slice(apart).map(({ answered }, place) => (answered - run[place]!.answered) / apart),
  );
  const at = (share: number): number => spacings[Math.floor(share * (spacings.length - 1))]!;
  return { value: at(0.5), least: at(trimmedShare), most: at(1 - trimmedShare) };
};

/**
 * Estimates the time between two answers in two ways: from pairs of answers half the series apart, and from near pairs.
 * The network, and answers that come in batches, hardly affect the far pairs. A missing answer, such as a failed chat,
 * affects only a few of the near pairs.
 */
const spacingsOf = (run: readonly Answer[]): readonly Fitted[] =>
  [Math.floor(run.length / 2), nearDistance].map((apart) => spacingOf(run, apart));

const countUneven = (run: readonly Answer[], { value }: Fitted): number => {
  const off = run.map(({ answered }, place) => answered - place * value);
  const usual = medianOf(off);
  return off.filter((each) => Math.abs(each - usual) > value / 2).length;
};

type Range = Omit<Fitted, 'value'>;

/** Returns the shortest and the longest time between two requests that the tolerance of the rule allows, in ms. */
const toleratedSpacing = ({ limit, window }: LimitRule): Range => ({
  least: shortestWindow(window) / limit,
  most: Math.max(longestWindow(window) / limit, window / limit + timerLateness),
});

const overlaps = (estimates: readonly Range[], { least, most }: Range): boolean =>
  estimates.some((each) => each.least <= most && each.most >= least);

/**
 * The relation of a pace to the pace of the rule: equal (`own`), possibly equal (`near`), different by no more than the
 * rounding of gateways' windows (`doubtful`), or different by more (`other`).
 */
type PaceMatch = 'own' | 'near' | 'doubtful' | 'other';

const matchOf = (
  estimates: readonly Fitted[],
  rule: LimitRule,
): readonly [PaceMatch, spacing: Fitted] => {
  const own = rule.window / rule.limit;
  const close = { least: own * (1 - closeShare), most: own * (1 + closeShare) };
  const within = estimates.find(({ least, most }) => least >= close.least && most <= close.most);
  if (within !== undefined) return ['own', within];
  const [spacing] = estimates;
  if (overlaps(estimates, close)) return ['near', spacing!];
  return [overlaps(estimates, toleratedSpacing(rule)) ? 'doubtful' : 'other', spacing!];
};

export interface QueuePace {
  /** The time between two answers, in ms. */
  readonly spacing: Fitted;
  readonly match: PaceMatch;
  /**
   * Whether more requests than the limit waited, most of them were answered at even intervals, and the answers
   * certainly came faster than the rule allows.
   */
  readonly isFaster: boolean;
  /** Whether a slow server instead of a limiter can cause this pace. */
  readonly canBeServer: boolean;
  /** The requests that show the pace, as indexes in the log. */
  readonly waited: readonly number[];
  readonly uneven: number;
}

/** Measures the pace of the requests that waited; `null` if too few requests waited. */
export const queuePace = (log: readonly LimiterDecision[], rule: LimitRule): QueuePace | null => {
  const run = longestRun(log);
  if (run.length <= minWaits) return null;
  const estimates = spacingsOf(run);
  const [match, spacing] = matchOf(estimates, rule);
  const uneven = countUneven(run, spacing);
  const isEven = run.length > rule.limit && uneven < run.length / 2;
  const isFast = estimates[0]!.most < (1 - closeShare) * (rule.window / rule.limit);
  const calm = usualCalmAnswer(log, rule);
  return {
    spacing,
    match,
    isFaster: isEven && isFast && match !== 'own',
    canBeServer: calm === 0 || calm > promptShare * spacing.value,
    waited: run.map(({ index }) => index),
    uneven,
  };
};

const minNoticeableRoundTrips = 3;

const minQueuedRequests = 3;

/**
 * The minimum ratio of delayed admissions to refusals in a queue. A queue refuses only when it is full, and then every
 * admitted request has waited.
 */
const minQueuedShare = 0.1;

/**
 * The admitted requests that waited as in a queue (`waited`), and those that contradict a queue of the declared limit
 * (`contradicted`). Both are indexes in the log.
 */
export interface QueueDelays {
  readonly waited: readonly number[];
  readonly contradicted: readonly number[];
  /**
   * A queue of another rate that explains the delays; `null` if a queue of the declared limit can explain the delays.
   */
  readonly other: LimiterFit | null;
  /**
   * Whether the rate proves nothing, since a slow server or the rounding of gateways' windows can also cause this rate.
   */
  readonly isDoubtful: boolean;
}

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

interface ComparedDelays {
  readonly explained: readonly number[];
  readonly contradicted: readonly number[];
}

/**
 * Returns the delays of a queue whose pace differs from the pace of the declared limit. If the delays match such a
 * queue, `queue` is their comparison with this queue. If they do not, `queue` is `null`, and only the pace is known.
 * The function then returns `null` for a doubtful pace.
 */
const delaysOfOther = (
  pace: QueuePace,
  limit: number,
  queue: ComparedDelays | null,
): QueueDelays | null => {
  const isDoubtful = pace.canBeServer || pace.match === 'doubtful';
  if (queue === null && isDoubtful) return null;
  const waited = queue?.explained ?? pace.waited;
  // Requests that waited for another reason can raise each of the two counts, so the smaller count is taken.
  const wrong = Math.min(queue?.contradicted.length ?? Infinity, pace.uneven);
  return {
    waited,
    contradicted: [...waited, ...(queue?.contradicted ?? [])],
    other: otherQueue(pace, limit, wrong),
    isDoubtful,
  };
};

type Admitted = readonly (readonly [index: number, decision: LimiterDecision])[];

/** Compares the answers with the answers of a queue that admits one request every `spacing` ms. */
const compareWithQueue = (
  admitted: Admitted,
  spacing: number,
  roundTrip: number,
): ComparedDelays => {
  const jitter = medianOf(admitted.map(([, { sent, answered }]) => answered - sent - roundTrip));
  const tolerance = Math.min(spacing / 2, minNoticeableRoundTrips * roundTrip + spacing / 10);
  let free = Number.NEGATIVE_INFINITY;
  let earliest = Number.NEGATIVE_INFINITY;
  const explained: number[] = [];
  const contradicted: number[] = [];
  for (const [index, { sent, answered }] of admitted) {
    const dueThrough = Math.max(sent, free);
    // After a late answer, the queue returns to its schedule. So one late answer is only one contradiction.
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
 * Compares the delays of the admitted requests with the delays in a queue. The queue admits one request every window /
 * limit, or at the pace of the answers if this pace is certain. Returns `null` if too few requests waited, or if most
 * requests that waited did not wait as in a queue.
 */
export const queueDelays = (
  log: readonly LimiterDecision[],
  rule: LimitRule,
): QueueDelays | null => {
  const admitted = [...log.entries()]
    .filter(([, decision]) => decision.admitted)
    .toSorted(([, a], [, b]) => a.sent - b.sent);
  // The first request never waits, so the fastest answer took one round trip.
  const roundTrip = fastestOf(admitted);
  const pace = queuePace(log, rule);
  const isOfRule = pace === null || pace.match === 'own' || pace.match === 'near';
  // If the pace is not certain, the answers are compared only with a queue of the declared limit.
  const isCertain = pace !== null && (isOfRule ? pace.match === 'own' : !pace.canBeServer);
  const spacing = isCertain ? pace.spacing.value : rule.window / rule.limit;
  const compared = compareWithQueue(admitted, spacing, roundTrip);
  const { explained, contradicted } = compared;
  const waited = explained.length + contradicted.length;
  // A request certainly waited only if its answer took longer than the usual answer to a calm request.
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
