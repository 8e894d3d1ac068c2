import type { LimiterClass, LimitRule } from '../../../model/limits/limit-log.ts';
import { type DecisionHistory, middleOf } from './decision-history.ts';
import type { LimiterParameters } from './limiter-models.ts';

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

/** Possible sizes of a small bucket: the requests admitted before the first refusal minus the refill. */
const bursts = (
  { decisions, admitted }: DecisionHistory,
  { limit, window }: LimitRule,
): readonly number[] => {
  const refusal = decisions.find((decision) => !decision.admitted);
  if (refusal === undefined) return [];
  const before = admitted.filter((decision) => middleOf(decision) < middleOf(refusal));
  const begin = before[0];
  if (begin === undefined) return [];
  const refilled = ((middleOf(refusal) - middleOf(begin)) * limit) / window;
  const estimate = Math.round(before.length - refilled);
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

const noVariation = (): readonly Partial<LimiterParameters>[] => [{}];
const anyPhase = (
  _: DecisionHistory,
  context: ReplayContext,
): readonly Partial<LimiterParameters>[] => phases(context).map((phase) => ({ phase }));

/** The parameters of each class in addition to the limit and the window. */
const variants = {
  'fixed-from-first': noVariation,
  'fixed-aligned': anyPhase,
  'sliding-log': noVariation,
  'sliding-log-counting-refusals': noVariation,
  'token-bucket': noVariation,
  'burst-bucket': (history, context) => bursts(history, context).map((burst) => ({ burst })),
  'sliding-counter': (history, context) =>
    (['some', 'whole'] as const).flatMap((room) => [
      { phase: firstMiddle(history), room },
      ...anyPhase(history, context).map((differing) => ({ ...differing, room })),
    ]),
  'stepped-bucket': (history, context) =>
    stepCounts.flatMap((steps) => [
      { steps, phase: firstMiddle(history) },
      ...distinctPhases(history, context.window / steps).map((phase) => ({ steps, phase })),
    ]),
  'leaky-queue': noVariation,
  'in-flight': (history) => inFlightCaps(history).map((limit) => ({ limit })),
} as const satisfies Record<
  LimiterClass,
  (history: DecisionHistory, context: ReplayContext) => readonly Partial<LimiterParameters>[]
>;

/** All sets of parameters of a class to replay. */
export const limiterCandidates = (
  name: LimiterClass,
  history: DecisionHistory,
  context: ReplayContext,
): readonly LimiterParameters[] =>
  variants[name](history, context).map((differing) => ({
    limit: context.limit,
    window: context.window,
    phase: 0,
    burst: context.limit,
    steps: 1,
    room: 'some',
    ...differing,
  }));
