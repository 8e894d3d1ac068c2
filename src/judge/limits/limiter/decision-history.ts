import type { LimiterDecision } from '../../../model/limits/limit-log.ts';
import { instant } from '../../../model/quantity.ts';
import { countBefore } from '../facts/count-instants.ts';

/** Returns the assumed instant of a decision: the middle of its interval, off by at most half a round trip. */
export const middleOf = ({ sent, answered }: LimiterDecision): number => (sent + answered) / 2;

/** The decisions that came before a decision, as far as the log shows. */
export interface PriorDecisions {
  readonly admitted: number;
  /** Counts the refusals from `from` up to the decision. */
  readonly refusedSince: (from: number) => number;
}

/**
 * A log of decisions, prepared for replaying limiters. Each decision is assumed in the middle of its interval. All
 * lists ascend in time; instants are in ms.
 */
export interface DecisionHistory {
  readonly decisions: readonly LimiterDecision[];
  /** The index of each decision in the log. */
  readonly indexes: readonly number[];
  readonly admitted: readonly LimiterDecision[];
  /** The middles of the intervals of `admitted`. */
  readonly middles: Float64Array;
  /** The instants at which the admitted requests were sent. */
  readonly sent: Float64Array;
  /** The instants at which the refused requests were sent and answered. */
  readonly refusals: { readonly sent: Float64Array; readonly answered: Float64Array };
  /** Half of the longest round trip, in ms. */
  readonly slack: number;
  /** The latest instant at which each admitted request can have left the gateway. */
  readonly ends: Float64Array;
  /** The decisions before each decision. They are the same whatever the limiter is. */
  readonly priors: readonly PriorDecisions[];
}

const sortAscending = (times: readonly number[]): Float64Array => Float64Array.from(times).sort();

/**
 * Shortens the interval of each decision to the duration of the longest refusal. A refusal takes one round trip; the
 * answer of an admitted request also contains its service time, and the decision came before that.
 */
const withoutServiceTime = (log: readonly LimiterDecision[]): readonly LimiterDecision[] => {
  const refused = log.filter((decision) => !decision.admitted);
  if (refused.length === 0) return log;
  const longest = Math.max(...refused.map(({ sent, answered }) => answered - sent));
  return log.map((decision) => ({
    ...decision,
    answered: instant(Math.min(decision.answered, decision.sent + longest)),
  }));
};

/**
 * Assumes that each slow request waited for its decision, as at a gateway that pauses. The time after the decision is
 * that of the fastest answer of its kind.
 */
const withLateDecisions = (log: readonly LimiterDecision[]): readonly LimiterDecision[] => {
  const fastest = (isAdmitted: boolean): number =>
    log
      .filter(({ admitted }) => admitted === isAdmitted)
      .reduce((least, { sent, answered }) => Math.min(least, answered - sent), Infinity);
  const [admitted, refused] = [fastest(true), fastest(false)];
  return log.map((decision) => {
    const latest = decision.answered - (decision.admitted ? admitted : refused);
    return { ...decision, sent: instant(Math.max(decision.sent, latest)) };
  });
};

/**
 * Counts the decisions before a request. Of overlapping requests the order is unknown, so the count is the one that
 * excuses the limiter most: for an admitted request only what certainly came before it, for a refused one all that
 * possibly did.
 */
const priorDecisionsOf = (
  { middles, sent: begun, refusals }: Omit<DecisionHistory, 'priors'>,
  decision: LimiterDecision,
): PriorDecisions => {
  const { admitted, sent, answered } = decision;
  const times = admitted ? refusals.answered : refusals.sent;
  const until = admitted ? sent : answered;
  // A refused request is not counted before itself.
  const itself = admitted ? 0 : 1;
  return {
    admitted: admitted ? countBefore(middles, middleOf(decision)) : countBefore(begun, answered),
    refusedSince: (from) =>
      Math.max(0, countBefore(times, until) - countBefore(times, from) - itself),
  };
};

/** The share of a round trip that certainly passes outside the gateway, on the way in and on the way out. */
const networkShare = 0.9;

/** Returns the shortest duration of a refusal, in ms: the time of the network alone; 0 without refusals. */
const shortestRefusal = (refused: readonly LimiterDecision[]): number =>
  refused.length === 0
    ? 0
    : refused.reduce((least, { sent, answered }) => Math.min(least, answered - sent), Infinity);

/** Prepares a log. The limiter counts the requests in `besides`, too, but their decisions are not replayed. */
const decisionHistoryOf = (
  log: readonly LimiterDecision[],
  besides: readonly LimiterDecision[],
): DecisionHistory => {
  const ordered = [...withoutServiceTime(log).entries()].toSorted(
    ([, a], [, b]) => middleOf(a) - middleOf(b),
  );
  const decisions = ordered.map(([, decision]) => decision);
  const admitted = [...besides, ...decisions.filter((decision) => decision.admitted)].toSorted(
    (a, b) => middleOf(a) - middleOf(b),
  );
  const refused = decisions.filter((decision) => !decision.admitted);
  const roundTrip = shortestRefusal(refused);
  const history = {
    decisions,
    indexes: ordered.map(([index]) => index),
    admitted,
    middles: Float64Array.from(admitted, middleOf),
    sent: sortAscending(admitted.map(({ sent }) => sent)),
    refusals: {
      sent: sortAscending(refused.map(({ sent }) => sent)),
      answered: sortAscending(refused.map(({ answered }) => answered)),
    },
    slack: decisions.reduce((most, { sent, answered }) => Math.max(most, (answered - sent) / 2), 0),
    ends: sortAscending(
      admitted.map(({ sent, ended }) => Math.max(sent, ended - networkShare * roundTrip)),
    ),
  };
  return { ...history, priors: decisions.map((each) => priorDecisionsOf(history, each)) };
};

/**
 * Returns the histories that are possible for a log. In some, slow requests waited for their decision, in others they
 * did not; each is combined with each list of `besides`. The histories without waiting come first.
 */
export const decisionHistoriesOf = (
  log: readonly LimiterDecision[],
  besides: readonly (readonly LimiterDecision[])[],
): readonly DecisionHistory[] =>
  [log, withLateDecisions(log)].flatMap((view) =>
    besides.map((counted) => decisionHistoryOf(view, counted)),
  );

/** Returns a history in which one of `every` decisions is replayed. All admissions and refusals still count. */
export const sampleOf = (history: DecisionHistory, every: number): DecisionHistory => {
  const isSampled = (_: unknown, place: number): boolean => place % every === 0;
  return {
    ...history,
    decisions: history.decisions.filter(isSampled),
    indexes: history.indexes.filter(isSampled),
    priors: history.priors.filter(isSampled),
  };
};
