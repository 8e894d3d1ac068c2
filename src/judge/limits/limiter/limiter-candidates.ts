import type { LimiterClass, LimiterDecision, LimitRule } from '../../../model/limits/limit-log.ts';
import { type DecisionHistory, middleOf } from './decision-history.ts';
import { type OffsetBounds, windowOfClock } from './server-window.ts';
import { meanOf } from '../../statistics/significance.ts';

/** The parameters of one limiter. Instants and lengths are in ms. */
export interface LimiterParameters {
  readonly limit: number;
  readonly window: number;
  /** The start of a window or of a refill step. */
  readonly phase: number;
  readonly burst: number;
  readonly steps: number;
  /** The resolution of the gateway's clock in ms, such as 1,000; `null` if the clock is exact. */
  readonly second: number | null;
  /**
   * How much of the limit must be free before the limiter admits a request: more than 0 (`some`), or at least 1
   * (`whole`).
   */
  readonly room: 'some' | 'whole';
}

export interface ReplayContext extends LimitRule {
  /** Lists of requests outside the log that the limiter may have counted. Each list is one possibility. */
  readonly besides: readonly (readonly LimiterDecision[])[];
  /** The offset of the server's clock; `null` if unknown. */
  readonly clock: OffsetBounds | null;
}

const divideEvenly = (from: number, to: number, pieces: number): readonly number[] =>
  Array.from({ length: pieces }, (_, i) => from + ((to - from) * i) / pieces);

/** The number of phases of a window that the first search tries. */
const coarsePhases = 120;

/** Returns the phases of a window that the server's clock permits; all phases if the clock is unknown. */
const clockPhases = ({ window, clock }: ReplayContext): readonly number[] => {
  if (clock === null) return divideEvenly(0, window, coarsePhases);
  const { earliest, latest } = windowOfClock(clock, window);
  return [...divideEvenly(earliest, latest, 20), latest];
};

const rooms = ['some', 'whole'] as const;

/** If a server reads its clock once a second, its `Date` header lags behind by at most this many ms. */
const maxDateLag = 1000;

/**
 * If the server's clock is known, the tried phases of a weighted counter are at most this share of a window apart,
 * unless this takes too many phases. If the limit is 120, such a step changes the count by half a request.
 */
const counterPrecision = 1 / 240;
/** If the server's clock is known, at most `times` times this many phases of a weighted counter are tried. */
const maxCounterPhases = 60;

const counterPhases = (
  clock: OffsetBounds | null,
  window: number,
  times: number,
): readonly number[] => {
  if (clock === null) return divideEvenly(0, window, times * 2 * maxCounterPhases);
  const { earliest, latest } = windowOfClock(clock, window);
  const pieces = Math.ceil((latest - earliest + maxDateLag) / (counterPrecision * window));
  return divideEvenly(
    earliest - maxDateLag,
    latest,
    times * Math.min(maxCounterPhases, Math.max(20, pieces)),
  );
};

const declaredTimes = 3;

const firstMiddle = ({ middles }: DecisionHistory): number => middles[0] ?? 0;

/**
 * Returns the sizes of a small bucket to try. The sizes are near the smallest size that explains all admissions. The
 * smallest size is the maximum, over all spans, of the number of requests in the span minus the refill in the span.
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
 * Finds the shortest interval that certainly contains a refill. The interval begins with a refusal, and ends with the
 * admission right after the refusal.
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

const maxPhases = 500;
/**
 * If the shortest interval with a refill has at most this many decisions, each decision separates two of the tried
 * phases. If the interval has more decisions, decisions that are close together count as one.
 */
const mostExactPlaces = 120;

/**
 * Returns the phases of a period that a log can distinguish. All decisions are folded into one period. Between two
 * neighbouring decisions every phase has the same effect, so only the middle is tried: for decisions at 100 and 400 ms,
 * the phase 250 ms. If the log has many decisions, decisions that are closer than `apart` ms are treated as one. Only
 * the shortest interval that contains a refill is searched. If there is no such interval, 24 phases are tried.
 */
const distinctPhases = (
  history: DecisionHistory,
  period: number,
  apart = period / maxPhases,
): readonly number[] => {
  const refill = shortestRefill(history);
  if (refill === null) return divideEvenly(0, period, 24);
  const { from, length } = refill;
  const places = history.decisions
    .map((decision) => (((middleOf(decision) - from) % period) + period) % period)
    .filter((place) => place <= length);
  const all = Float64Array.from([0, ...places, Math.min(length, period)]).sort();
  // If there are many decisions, close decisions count as one, since the decisions of one burst are closer together
  // than their uncertainty. If there are few decisions, even close decisions are kept apart: one slow answer widens the
  // uncertainty of all decisions, and the only right phase can lie between two close decisions.
  const least = places.length > mostExactPlaces ? Math.max(history.slack / 4, apart) : 0;
  const edges = [0];
  for (const place of all) {
    if (place - edges.at(-1)! > least) edges.push(place);
  }
  if (edges.length === 1) edges.push(all.at(-1)!);
  return edges.slice(1).map((place, i) => from + (place + edges[i]!) / 2);
};

const minRefusals = 10;
/** The network time is estimated with a safety margin of this many standard errors. */
const certainty = 3;
/**
 * The computed cap may exceed the true cap by up to this factor, since the network can take longer for an admitted
 * request than for a refused request.
 */
const capTolerance = 1.25;
const maxRequests = 256;

const timeOf = ({ sent, ended }: LimiterDecision): number => ended - sent;

/**
 * Computes the smallest cap on requests in flight that the stays of the admitted requests permit. The stay of a request
 * is its duration minus the network time, which refusals show. A single stay is uncertain, but the sum of many stays is
 * not. The sum is at most the cap times the span of the stays (Little's law). Example: 40 stays of 30 ms within 100 ms
 * are 1,200 ms in 100 ms. So 12 requests were in flight on average, and the cap is at least 12.
 */
const smallestCap = ({ admitted, decisions }: DecisionHistory): number => {
  const refusals = decisions.filter((each) => !each.admitted).map(timeOf);
  if (refusals.length < minRefusals) return 1;
  const network = meanOf(refusals);
  const shortest = Math.min(...refusals);
  const spread = Math.sqrt(meanOf(refusals.map((time) => (time - network) ** 2)));
  const requests = admitted.toSorted((a, b) => a.sent - b.sent);
  let most = 0;
  for (let count = 2; count <= Math.min(maxRequests, requests.length); count *= 2) {
    const uncertainty =
      certainty * spread * (Math.sqrt(count) + count / Math.sqrt(refusals.length));
    for (let from = 0; from + count <= requests.length; from += 1) {
      let taken = 0;
      let last = 0;
      for (let place = from; place < from + count; place += 1) {
        taken += timeOf(requests[place]!);
        last = Math.max(last, requests[place]!.ended);
      }
      const stayed = taken - count * network - uncertainty;
      const span = last - requests[from]!.sent - shortest;
      if (stayed > 0) most = Math.max(most, stayed / span);
    }
  }
  return Math.max(1, Math.ceil(most / capTolerance));
};

const countDeepest = ({ admitted, sent }: DecisionHistory): number => {
  const ends = Float64Array.from(admitted, ({ ended }) => ended).sort();
  let most = 0;
  let ended = 0;
  for (const [place, begun] of sent.entries()) {
    while (ended < ends.length && ends[ended]! <= begun) ended += 1;
    most = Math.max(most, place + 1 - ended);
  }
  return most;
};

/**
 * Returns the possible caps on requests in flight, from the smallest cap that the stays permit to the highest number of
 * requests seen in flight.
 */
export const inFlightCaps = (history: DecisionHistory): readonly number[] => {
  const [least, most] = [smallestCap(history), countDeepest(history)];
  return Array.from({ length: Math.max(0, most + 1 - least) }, (_, i) => least + i);
};

/**
 * Admitted requests certainly stayed in the gateway if their median duration exceeds this quantile of the durations of
 * refusals.
 */
const refusalQuantile = 0.9;

/**
 * Returns whether the admitted requests certainly stayed in the gateway for a while. If the requests did not stay, a
 * small cap would explain every refusal soon after an admission, so a cap that explains the log would be no evidence.
 */
export const areStaysSeen = (log: readonly LimiterDecision[]): boolean => {
  const timesOf = (isAdmitted: boolean): readonly number[] =>
    log
      .filter(({ admitted }) => admitted === isAdmitted)
      .map(timeOf)
      .toSorted((a, b) => a - b);
  const [admitted, refused] = [timesOf(true), timesOf(false)];
  const usual = admitted[Math.floor(admitted.length / 2)] ?? 0;
  return usual > (refused[Math.floor(refused.length * refusalQuantile)] ?? 0);
};

const secondPhases = 40;

/** If a log has many decisions, the first search tries at most this many phases of a refill step. */
const coarseStepPhases = 60;

const stepCounts = [2, 3, 4, 5, 6, 10, 12, 15, 20, 30];

type VariantsOf = (
  history: DecisionHistory,
  context: ReplayContext,
) => readonly Partial<LimiterParameters>[];

const variants: Readonly<Partial<Record<LimiterClass, VariantsOf>>> = {
  'fixed-from-first': () => [
    {},
    ...divideEvenly(0, 1000, secondPhases).map((phase) => ({ phase, second: 1000 })),
  ],
  'fixed-any-phase': (history, context) =>
    [
      ...divideEvenly(0, context.window, coarsePhases),
      ...distinctPhases(history, context.window),
    ].map((phase) => ({ phase })),
  'fixed-aligned': (_, context) => clockPhases(context).map((phase) => ({ phase })),
  'burst-bucket': (history, context) => bursts(history, context).map((burst) => ({ burst })),
  'sliding-counter': (history, context) =>
    rooms.flatMap((room) => [
      { phase: firstMiddle(history), room },
      ...counterPhases(context.clock, context.window, declaredTimes).map((phase) => ({
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

export const phaseParts = 8;

/** Returns phases around `phase`. The phases lie less than `apart` ms before or after `phase`. */
export const phasesAround = (phase: number, apart: number): readonly number[] =>
  divideEvenly(1 - phaseParts, phaseParts, 2 * phaseParts - 1).map(
    (part) => phase + (part * apart) / phaseParts,
  );

/**
 * Returns limiters with phases close to the phase of the best limiter of a class. `look` counts the searches from 1,
 * and each search is finer than the search before. If all phases of a class were tried before, the function returns no
 * limiters.
 */
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
  const [first = 0, next = 0] = counterPhases(clock, window, declaredTimes);
  return around(next - first);
};

/**
 * Returns the limiters of a class for a limit and window that may differ from the declared limit and window. If the log
 * has many decisions, the phases of the limiters are at least `apart` ms apart (`distinctPhases`).
 */
export const otherCandidates = (
  name: LimiterClass,
  history: DecisionHistory,
  rule: LimitRule,
  apart: number,
): readonly LimiterParameters[] => {
  if (name === 'fixed-any-phase') {
    const phases = distinctPhases(history, rule.window, apart);
    return parametersOf(
      rule,
      phases.map((phase) => ({ phase })),
    );
  }
  return parametersOf(
    rule,
    name === 'burst-bucket' ? bursts(history, rule).map((burst) => ({ burst })) : [{}],
  );
};

export const counterGrids = (
  clock: OffsetBounds | null,
  window: number,
  times: number,
): readonly { readonly window: number; readonly phase: number }[] =>
  counterPhases(clock, window, times).map((phase) => ({ window, phase }));
