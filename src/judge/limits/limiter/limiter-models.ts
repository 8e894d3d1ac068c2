import type { LimiterClass } from '../../../model/limits/limit-log.ts';
import { countBefore, type DecisionHistory, type PriorDecisions } from './decision-history.ts';
import type { LimiterParameters } from './limiter-candidates.ts';

/**
 * Limiter classes from the observer's point of view: given the history of admitted requests, is a
 * request admitted at `moment`? Unlike a gateway they keep no counters but compute every answer from
 * the whole history, so that both do not share bugs.
 */
export type LimiterModel = (prior: PriorDecisions, moment: number) => boolean;

type LimiterModelBuilder = (
  history: DecisionHistory,
  parameters: LimiterParameters,
) => LimiterModel;

const fixedFromFirst: LimiterModelBuilder = (
  { admitted, middles },
  { limit, window, phase, second },
) => {
  /** A gateway that counts whole seconds begins a window with the second of its first request. */
  const beginOf = (moment: number): number =>
    second === null ? moment : Math.floor((moment - phase) / second) * second + phase;
  /** The window of each admitted request, as the index of its first request. */
  const first: number[] = [];
  for (const [place, { answered }] of admitted.entries()) {
    const begin = first[place - 1] ?? 0;
    const end = beginOf(middles[begin]!) + window;
    const isFull = place - begin >= limit;
    // If the window's end is within the round trip, a request beyond the limit shows that it was over.
    const isNext = place > 0 && (middles[place]! >= end || (isFull && answered >= end));
    first.push(place === 0 || isNext ? place : begin);
  }
  return ({ admitted: before }, moment) => {
    const begin = first[before - 1];
    if (begin === undefined || moment >= beginOf(middles[begin]!) + window) return true;
    return before - begin < limit;
  };
};

const fixedAligned: LimiterModelBuilder = ({ middles }, { limit, window, phase }) => {
  return ({ admitted }, moment) => {
    const begin = Math.floor((moment - phase) / window) * window + phase;
    return admitted - countBefore(middles, begin) < limit;
  };
};

const slidingLog: LimiterModelBuilder =
  ({ middles }, { limit, window }) =>
  ({ admitted }, moment) =>
    admitted - countBefore(middles, moment - window) < limit;

const slidingLogCountingRefusals: LimiterModelBuilder =
  ({ middles }, { limit, window }) =>
  ({ admitted, refusedSince }, moment) =>
    admitted - countBefore(middles, moment - window) + refusedSince(moment - window) < limit;

const slidingCounter: LimiterModelBuilder = ({ middles }, { limit, window, phase, room }) => {
  return ({ admitted }, moment) => {
    const begin = Math.floor((moment - phase) / window) * window + phase;
    const current = admitted - countBefore(middles, begin);
    const previous = countBefore(middles, begin) - countBefore(middles, begin - window);
    const overlap = 1 - (moment - begin) / window;
    const left = limit - previous * overlap - current;
    return room === 'whole' ? left >= 1 - 1e-9 : left > 0;
  };
};

/**
 * Buckets differ in the refill between two instants. Times that are off by up to `slack` put a bucket into debt for a while: it
 * is carried on, since each request alone could be excused by its own time, but not a faster rate than the refill.
 */
const bucket = (
  { admitted: requests, middles, slack }: DecisionHistory,
  capacity: number,
  refill: (from: number, to: number) => number,
): LimiterModel => {
  /** The level after each admitted request. */
  const left: number[] = [];
  for (const [place, at] of middles.entries()) {
    const earlier = left[place - 1];
    const levelAt = (moment: number): number =>
      earlier === undefined
        ? capacity
        : Math.min(capacity, earlier + refill(middles[place - 1]!, moment));
    // An admission that even its latest time does not explain is one contradiction: the debt ends there.
    const isExplained = levelAt(requests[place]!.answered + slack) >= 1 - 1e-9;
    left.push(isExplained ? levelAt(at) - 1 : 0);
  }
  return ({ admitted }, moment) => {
    const earlier = left[admitted - 1];
    if (earlier === undefined) return capacity >= 1;
    return Math.min(capacity, earlier + refill(middles[admitted - 1]!, moment)) >= 1 - 1e-9;
  };
};

const evenBucket: LimiterModelBuilder = (history, { limit, window, burst }) =>
  bucket(history, burst, (from, to) => (Math.max(0, to - from) * limit) / window);

const steppedBucket: LimiterModelBuilder = (history, { limit, window, phase, steps }) => {
  const stepsUntil = (moment: number): number => Math.floor(((moment - phase) * steps) / window);
  return bucket(
    history,
    limit,
    (from, to) => (Math.max(0, stepsUntil(to) - stepsUntil(from)) * limit) / steps,
  );
};

/** So much of a round trip certainly passes outside the gateway: half of it before a request arrives, the rest after another one has left. */
const networkShare = 0.9;

/** Ended requests make room. What was sent when another one had ended, but for a round trip, did not meet it in the gateway. */
const inFlight: LimiterModelBuilder = ({ admitted: requests, roundTrip }, { limit }) => {
  const ends = Float64Array.from(requests, ({ sent, ended }) =>
    Math.max(sent, ended - networkShare * roundTrip),
  ).sort();
  return ({ admitted }, moment) => admitted - Math.min(admitted, countBefore(ends, moment)) < limit;
};

interface Limiter {
  readonly model: LimiterModelBuilder;
  /** The parameters that reports name. */
  readonly named?: readonly ('phase' | 'burst' | 'steps')[];
}

export const limiters: Readonly<Record<LimiterClass, Limiter>> = {
  'fixed-from-first': { model: fixedFromFirst },
  'fixed-any-phase': { model: fixedAligned, named: ['phase'] },
  'fixed-aligned': { model: fixedAligned, named: ['phase'] },
  'sliding-log': { model: slidingLog },
  'sliding-log-counting-refusals': { model: slidingLogCountingRefusals },
  'token-bucket': { model: evenBucket },
  'burst-bucket': { model: evenBucket, named: ['burst'] },
  'sliding-counter': { model: slidingCounter, named: ['phase'] },
  'stepped-bucket': { model: steppedBucket, named: ['steps', 'phase'] },
  // A queue refuses only if it overflows; it is identified by its delays.
  'leaky-queue': { model: () => () => true },
  'in-flight': { model: inFlight },
};
