import type { LimiterClass, LimitRule } from '../../../model/limits/limit-log.ts';
import {
  countBefore,
  type DecisionHistory,
  type PriorDecisions,
  middleOf,
} from './decision-history.ts';

/**
 * Limiter classes from the observer's point of view: given the history of admitted requests, is a
 * request admitted at `moment`? Unlike a gateway they keep no counters but compute every answer from
 * the whole history, so that both do not share bugs.
 */
export type LimiterModel = (prior: PriorDecisions, moment: number) => boolean;

/** Instants and lengths in ms. */
export interface LimiterParameters {
  readonly limit: number;
  readonly window: number;
  /** The start of a window or a step. */
  readonly phase: number;
  /** What a bucket holds. */
  readonly burst: number;
  /** The number of refill steps per window. */
  readonly steps: number;
  /** What must be left of a fractional limit for a request: more than 0, or at least 1. */
  readonly room: 'some' | 'whole';
}

type LimiterModelBuilder = (
  history: DecisionHistory,
  parameters: LimiterParameters,
) => LimiterModel;

const fixedFromFirst: LimiterModelBuilder = ({ admitted, middles }, { limit, window }) => {
  /** The window of each admitted request, as the index of its first request. */
  const first: number[] = [];
  for (const [place, { answered }] of admitted.entries()) {
    const begin = first[place - 1] ?? 0;
    const end = middles[begin]! + window;
    const isFull = place - begin >= limit;
    // If the window's end is within the round trip, a request beyond the limit shows that it was over.
    const isNext = place > 0 && (middles[place]! >= end || (isFull && answered >= end));
    first.push(place === 0 || isNext ? place : begin);
  }
  return ({ admitted: before }, moment) => {
    const begin = first[before - 1];
    if (begin === undefined || moment >= middles[begin]! + window) return true;
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

/** Buckets differ in the refill between two instants. */
const bucket = (
  { middles }: DecisionHistory,
  capacity: number,
  refill: (from: number, to: number) => number,
): LimiterModel => {
  /** The level after each admitted request. */
  const left: number[] = [];
  for (const [place, at] of middles.entries()) {
    const earlier = left[place - 1];
    const level =
      earlier === undefined
        ? capacity
        : Math.min(capacity, earlier + refill(middles[place - 1]!, at));
    left.push(Math.max(0, level - 1));
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

/** Ended requests make room. */
const inFlight: LimiterModelBuilder = ({ admitted: requests }, { limit }) => {
  const ends = Float64Array.from(requests, ({ ended }) => ended).sort();
  return ({ admitted }, moment) => admitted - Math.min(admitted, countBefore(ends, moment)) < limit;
};

export interface ReplayContext extends LimitRule {
  /** The earliest and latest possible start of the server's minute; `null` if its clock is unknown. */
  readonly minute: { readonly earliest: number; readonly latest: number } | null;
}

const evenly = (from: number, to: number, pieces: number): readonly number[] =>
  Array.from({ length: pieces }, (_, i) => from + ((to - from) * i) / pieces);

/** Phases of the server's minute if its clock is known, otherwise of the whole window. */
const phases = ({ window, minute }: ReplayContext): readonly number[] =>
  minute === null
    ? evenly(0, window, 120)
    : [...evenly(minute.earliest, minute.latest, 20), minute.latest];

const firstMiddle = ({ middles }: DecisionHistory): number => middles[0] ?? 0;

/**
 * Possible sizes of a small bucket, around the smallest that admits all that was admitted: the largest
 * excess of the admitted requests of any span over its refill.
 */
const bursts = ({ middles }: DecisionHistory, { limit, window }: LimitRule): readonly number[] => {
  let taken = 0;
  let most = 0;
  for (const [i, moment] of middles.entries()) {
    const refilled = ((moment - (middles[i - 1] ?? moment)) * limit) / window;
    taken = Math.max(0, taken - refilled) + 1;
    most = Math.max(most, taken);
  }
  const estimate = Math.round(most);
  return [-3, -2, -1, 0, 1, 2, 3]
    .map((off) => estimate + off)
    .filter((burst) => burst >= 1 && burst < limit);
};

/**
 * The shortest interval with a refill: from a refusal to the next admitted request that does not
 * overlap it.
 */
const shortestRefill = ({ decisions, slack }: DecisionHistory) =>
  decisions
    .slice(1)
    .reduce<{ readonly from: number; readonly length: number } | null>((shortest, decision, i) => {
      const before = decisions[i]!;
      const isAfter = decision.sent >= before.answered;
      if (before.admitted || !decision.admitted || !isAfter) return shortest;
      const from = middleOf(before) - slack;
      const length = middleOf(decision) + slack - from;
      return shortest !== null && shortest.length <= length ? shortest : { from, length };
    }, null);

/**
 * One phase for each distinct position of the edges of a period between the decisions: halfway between
 * neighbours when all middles are folded into one period. An edge must be in a refill; without a refill
 * a few phases are enough.
 */
const distinctPhases = (history: DecisionHistory, period: number): readonly number[] => {
  const refill = shortestRefill(history);
  if (refill === null) return evenly(0, period, 24);
  const { from, length } = refill;
  const places = history.decisions
    .map((decision) => (((middleOf(decision) - from) % period) + period) % period)
    .filter((place) => place <= length);
  const all = [...new Set([0, ...places, Math.min(length, period)])].toSorted((a, b) => a - b);
  // The decisions of a burst are closer together than their uncertainty.
  const edges = [0];
  for (const place of all) {
    if (place - edges.at(-1)! > history.slack / 4) edges.push(place);
  }
  if (edges.length === 1) edges.push(all.at(-1)!);
  return edges.slice(1).map((place, i) => from + (place + edges[i]!) / 2);
};

const stepCounts = [2, 3, 4, 5, 6, 10, 12, 15, 20, 30];

/** Every number of requests that were in flight. */
const inFlightCaps = ({ admitted }: DecisionHistory): readonly number[] => {
  const most = admitted.reduce((deepest, { sent }) => {
    const depth = admitted.filter((other) => other.sent <= sent && other.ended > sent).length;
    return Math.max(deepest, depth);
  }, 0);
  return evenly(1, most + 1, most);
};

const anyPhase: VariantsOf = (_, context) => phases(context).map((phase) => ({ phase }));

type VariantsOf = (
  history: DecisionHistory,
  context: ReplayContext,
) => readonly Partial<LimiterParameters>[];

interface Limiter {
  readonly model: LimiterModelBuilder;
  /** The parameters to try, in addition to the limit and the window. */
  readonly variants?: VariantsOf;
  /** The parameters that reports name. */
  readonly named?: readonly ('phase' | 'burst' | 'steps')[];
}

export const limiters: Readonly<Record<LimiterClass, Limiter>> = {
  'fixed-from-first': { model: fixedFromFirst },
  'fixed-aligned': { model: fixedAligned, variants: anyPhase, named: ['phase'] },
  'sliding-log': { model: slidingLog },
  'sliding-log-counting-refusals': { model: slidingLogCountingRefusals },
  'token-bucket': { model: evenBucket },
  'burst-bucket': {
    model: evenBucket,
    variants: (history, context) => bursts(history, context).map((burst) => ({ burst })),
    named: ['burst'],
  },
  'sliding-counter': {
    model: slidingCounter,
    variants: (history, context) =>
      (['some', 'whole'] as const).flatMap((room) => [
        { phase: firstMiddle(history), room },
        ...phases(context).map((phase) => ({ phase, room })),
      ]),
    named: ['phase'],
  },
  'stepped-bucket': {
    model: steppedBucket,
    variants: (history, context) =>
      stepCounts.flatMap((steps) => [
        { steps, phase: firstMiddle(history) },
        ...distinctPhases(history, context.window / steps).map((phase) => ({ steps, phase })),
      ]),
    named: ['steps', 'phase'],
  },
  // A queue refuses only if it overflows; it is identified by its delays.
  'leaky-queue': { model: () => () => true },
  'in-flight': {
    model: inFlight,
    variants: (history) => inFlightCaps(history).map((limit) => ({ limit })),
  },
};

export const limiterCandidates = (
  name: LimiterClass,
  history: DecisionHistory,
  context: ReplayContext,
): readonly LimiterParameters[] => {
  const { limit, window } = context;
  const variants = limiters[name].variants?.(history, context) ?? [{}];
  return variants.map((differing) => ({
    limit,
    window,
    phase: 0,
    burst: limit,
    steps: 1,
    room: 'some',
    ...differing,
  }));
};
