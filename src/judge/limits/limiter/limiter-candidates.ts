import type { LimiterClass, LimiterDecision, LimitRule } from '../../../model/limits/limit-log.ts';
import { type DecisionHistory, middleOf } from './decision-history.ts';
import { inFlightCaps } from './in-flight-caps.ts';
import { type OffsetBounds, windowOfClock } from './server-window.ts';

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
  /** The length of what a gateway counts in instead of instants; `null` for instants. */
  readonly second: number | null;
  /** What must be left of a fractional limit for a request: more than 0, or at least 1. */
  readonly room: 'some' | 'whole';
}

export interface ReplayContext extends LimitRule {
  /** What the limiter can have counted besides the log's own decisions: each list is one possibility. */
  readonly besides: readonly (readonly LimiterDecision[])[];
  /** The server's clock; `null` if it is unknown. */
  readonly clock: OffsetBounds | null;
}

const evenly = (from: number, to: number, pieces: number): readonly number[] =>
  Array.from({ length: pieces }, (_, i) => from + ((to - from) * i) / pieces);

/** So many phases of a window are tried at first. */
const coarsePhases = 120;

/** Phases of the windows of the server's clock if it is known, otherwise of the whole window. */
const phases = ({ window, clock }: Pick<ReplayContext, 'window' | 'clock'>): readonly number[] => {
  if (clock === null) return evenly(0, window, coarsePhases);
  const { earliest, latest } = windowOfClock(clock, window);
  return [...evenly(earliest, latest, 20), latest];
};

const rooms = ['some', 'whole'] as const;

/** A server that reads its clock for `Date` once a second seems to be late by up to so many ms. */
const refreshed = 1000;

/** The precision of the phase of weighted counters, in windows: half a request of 60 and more. */
const counterPrecision = 1 / 240;
const mostCounterPhases = 60;

/** Phases of a weighted counter of the server's clock, or of the whole window if that is unknown. */
const counterPhases = (
  clock: OffsetBounds | null,
  window: number,
  finer: number,
): readonly number[] => {
  if (clock === null) return evenly(0, window, finer * 2 * mostCounterPhases);
  const { earliest, latest } = windowOfClock(clock, window);
  const pieces = Math.ceil((latest - earliest + refreshed) / (counterPrecision * window));
  return evenly(
    earliest - refreshed,
    latest,
    finer * Math.min(mostCounterPhases, Math.max(20, pieces)),
  );
};

/** A weighted counter of the declared limit is looked for as closely as one of another limit. */
const declaredFiner = 3;

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

/** More phases of a period are not tried. */
const mostPhases = 500;

/**
 * One phase for each distinct position of the edges of a period between the decisions, or for those so far `apart` in ms: halfway
 * between neighbours when all middles are folded into one period. An edge must be in a refill; without a
 * refill a few phases are enough.
 */
const distinctPhases = (
  history: DecisionHistory,
  period: number,
  apart = period / mostPhases,
): readonly number[] => {
  const refill = shortestRefill(history);
  if (refill === null) return evenly(0, period, 24);
  const { from, length } = refill;
  const places = history.decisions
    .map((decision) => (((middleOf(decision) - from) % period) + period) % period)
    .filter((place) => place <= length);
  const all = Float64Array.from([0, ...places, Math.min(length, period)]).sort();
  // The decisions of a burst are closer together than their uncertainty.
  const edges = [0];
  for (const place of all) {
    if (place - edges.at(-1)! > Math.max(history.slack / 4, apart)) edges.push(place);
  }
  if (edges.length === 1) edges.push(all.at(-1)!);
  return edges.slice(1).map((place, i) => from + (place + edges[i]!) / 2);
};

/** How many places of the seconds that a gateway counts in are tried. */
const secondPhases = 40;

/** So many phases of a step are tried at first. */
const coarseStepPhases = 60;

const stepCounts = [2, 3, 4, 5, 6, 10, 12, 15, 20, 30];

type VariantsOf = (
  history: DecisionHistory,
  context: ReplayContext,
) => readonly Partial<LimiterParameters>[];

/** The parameters to try for a class, in addition to the limit and the window. */
const variants: Readonly<Partial<Record<LimiterClass, VariantsOf>>> = {
  'fixed-from-first': () => [
    {},
    ...evenly(0, 1000, secondPhases).map((phase) => ({ phase, second: 1000 })),
  ],
  'fixed-any-phase': (history, context) =>
    [...phases({ ...context, clock: null }), ...distinctPhases(history, context.window)].map(
      (phase) => ({ phase }),
    ),
  'fixed-aligned': (_, context) => phases(context).map((phase) => ({ phase })),
  'burst-bucket': (history, context) => bursts(history, context).map((burst) => ({ burst })),
  'sliding-counter': (history, context) =>
    rooms.flatMap((room) => [
      { phase: firstMiddle(history), room },
      ...counterPhases(context.clock, context.window, declaredFiner).map((phase) => ({
        phase,
        room,
      })),
    ]),
  'stepped-bucket': (history, context) =>
    stepCounts.flatMap((steps) => [
      { steps, phase: firstMiddle(history) },
      ...distinctPhases(
        history,
        context.window / steps,
        context.window / steps / coarseStepPhases,
      ).map((phase) => ({ steps, phase })),
    ]),
  'in-flight': (history) => inFlightCaps(history).map((limit) => ({ limit })),
};

const parametersOf = (
  { limit, window }: LimitRule,
  differing: readonly Partial<LimiterParameters>[],
): readonly LimiterParameters[] =>
  differing.map((own) => ({
    limit,
    window,
    phase: 0,
    burst: limit,
    steps: 1,
    second: null,
    room: 'some',
    ...own,
  }));

export const limiterCandidates = (
  name: LimiterClass,
  history: DecisionHistory,
  context: ReplayContext,
): readonly LimiterParameters[] =>
  parametersOf(context, variants[name]?.(history, context) ?? [{}]);

/** Into how many parts the space between two phases that were tried is divided. */
export const phaseParts = 8;

/** The phases around one of those that were tried so far apart, up to its neighbours. */
export const phasesAround = (phase: number, apart: number): readonly number[] =>
  evenly(1 - phaseParts, phaseParts, 2 * phaseParts - 1).map(
    (part) => phase + (part * apart) / phaseParts,
  );

/** Limiters with a phase close to that of the best of a class so far, the closer the later the `look`: some classes have too many to try each. */
export const closerCandidates = (
  name: LimiterClass,
  parameters: LimiterParameters,
  { window, clock }: ReplayContext,
  look: number,
): readonly LimiterParameters[] => {
  const around = (apart: number): readonly LimiterParameters[] =>
    phasesAround(parameters.phase, apart / phaseParts ** (look - 1)).map((phase) => ({
      ...parameters,
      phase,
    }));
  if (name === 'fixed-any-phase') return around(window / coarsePhases);
  if (name === 'stepped-bucket') return around(window / parameters.steps / coarseStepPhases);
  if (name !== 'sliding-counter') return [];
  const [first = 0, next = 0] = counterPhases(clock, window, declaredFiner);
  return around(next - first);
};

const otherVariants: Readonly<
  Partial<
    Record<
      LimiterClass,
      (
        history: DecisionHistory,
        rule: LimitRule,
        apart: number,
      ) => readonly Partial<LimiterParameters>[]
    >
  >
> = {
  'fixed-any-phase': (history, { window }, apart) =>
    distinctPhases(history, window, apart).map((phase) => ({ phase })),
  'burst-bucket': (history, rule) => bursts(history, rule).map((burst) => ({ burst })),
};

/** The limiters to try of a class with another limit or window than the declared one; phases so far `apart`, in ms. */
export const otherCandidates = (
  name: LimiterClass,
  history: DecisionHistory,
  rule: LimitRule,
  apart: number,
): readonly LimiterParameters[] =>
  parametersOf(rule, otherVariants[name]?.(history, rule, apart) ?? [{}]);

/** The grids on which a weighted counter of the server's clock can count with a window. */
export const counterGrids = (
  clock: OffsetBounds | null,
  window: number,
  finer: number,
): readonly { readonly window: number; readonly phase: number }[] =>
  counterPhases(clock, window, finer).map((phase) => ({ window, phase }));
