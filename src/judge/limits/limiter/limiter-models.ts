import type { LimiterClass } from '../../../model/limits/limit-log.ts';
import { countBefore } from '../facts/count-instants.ts';
import type { DecisionHistory, PriorDecisions } from './decision-history.ts';
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
  return (prior, moment) => {
    let before = prior.admitted;
    // Of requests that overlap, those that begin a window later can have come after it.
    while (before > 0 && middles[first[before - 1]!]! > moment) before = first[before - 1]!;
    const begin = first[before - 1];
    if (begin === undefined || moment >= beginOf(middles[begin]!) + window) return true;
    return before - begin < limit;
  };
};

/** How many were admitted before a moment, counted anew only if it is another one than the last: most decisions are in the window of the one before. */
const countingBefore = (middles: Float64Array): ((moment: number) => number) => {
  let last = Number.NaN;
  let count = 0;
  return (moment) => {
    if (moment !== last) {
      last = moment;
      count = countBefore(middles, moment);
    }
    return count;
  };
};

const fixedAligned: LimiterModelBuilder = ({ middles }, { limit, window, phase }) => {
  const before = countingBefore(middles);
  return ({ admitted }, moment) => {
    const begin = Math.floor((moment - phase) / window) * window + phase;
    return admitted - before(begin) < limit;
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
  const [before, longBefore] = [countingBefore(middles), countingBefore(middles)];
  return ({ admitted }, moment) => {
    const begin = Math.floor((moment - phase) / window) * window + phase;
    const current = admitted - before(begin);
    const previous = before(begin) - longBefore(begin - window);
    const overlap = 1 - (moment - begin) / window;
    const left = limit - previous * overlap - current;
    return room === 'whole' ? left >= 1 - 1e-9 : left > 0;
  };
};

/** What a bucket must hold for a request, but for rounding. */
const full = 1 - 1e-9;

/**
 * Buckets differ in what they have gained up to a moment, counted from any other. Times that are off by up to `slack` put a bucket into debt for a while: it
 * is carried on, since each request alone could be excused by its own time, but not a faster rate than the refill.
 */
const bucket = (
  { admitted: requests, middles, slack }: DecisionHistory,
  capacity: number,
  gainedAt: (moment: number) => number,
): LimiterModel => {
  const gained = middles.map(gainedAt);
  /** The level after each admitted request. */
  const left = new Float64Array(middles.length);
  let before = capacity;
  let gainedBefore = gained[0] ?? 0;
  const levelWith = (gain: number): number =>
    gain <= gainedBefore ? before : Math.min(capacity, before + gain - gainedBefore);
  for (let place = 0; place < left.length; place += 1) {
    const gain = gained[place]!;
    const level = levelWith(gain);
    // An admission that even its latest time does not explain is one contradiction: the debt ends there.
    const isExplained =
      level >= full || levelWith(gainedAt(requests[place]!.answered + slack)) >= full;
    before = isExplained ? level - 1 : 0;
    gainedBefore = Math.max(gainedBefore, gain);
    left[place] = before;
  }
  return ({ admitted }, moment) => {
    if (admitted === 0) return capacity >= 1;
    const gain = gainedAt(moment) - gained[admitted - 1]!;
    return Math.min(capacity, left[admitted - 1]! + Math.max(0, gain)) >= full;
  };
};

const evenBucket: LimiterModelBuilder = (history, { limit, window, burst }) => {
  const rate = limit / window;
  return bucket(history, burst, (moment) => moment * rate);
};

const steppedBucket: LimiterModelBuilder = (history, { limit, window, phase, steps }) => {
  const [perStep, length] = [limit / steps, window / steps];
  return bucket(history, limit, (moment) => Math.floor((moment - phase) / length) * perStep);
};

/** Ended requests make room. What was sent when another one had ended, but for a round trip, did not meet it in the gateway. */
const inFlight: LimiterModelBuilder =
  ({ ends }, { limit }) =>
  ({ admitted }, moment) =>
    admitted - Math.min(admitted, countBefore(ends, moment)) < limit;

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
