import type { LimiterDecision } from '../../../model/limits/limit-log.ts';
import { instant } from '../../../model/quantity.ts';
import { countBefore } from '../facts/count-instants.ts';

/**
 * Returns the instant in the middle between the sending and the answer of a request. The limiter decided on the request
 * at most half a round trip earlier or later.
 */
export const middleOf = ({ sent, answered }: LimiterDecision): number => (sent + answered) / 2;

export interface PriorDecisions {
  readonly admitted: number;
  readonly refusedSince: (from: number) => number;
}

/** A log of decisions, prepared for replaying limiters. All lists ascend in time; instants are in ms. */
export interface DecisionHistory {
  readonly decisions: readonly LimiterDecision[];
  readonly indexes: readonly number[];
  readonly admitted: readonly LimiterDecision[];
  readonly middles: Float64Array;
  readonly sent: Float64Array;
  readonly refusals: { readonly sent: Float64Array; readonly answered: Float64Array };
  /** Half of the longest round trip, in ms. */
  readonly slack: number;
  /** For each admitted request, the latest instant at which the request can have left the gateway. */
  readonly ends: Float64Array;
  readonly priors: readonly PriorDecisions[];
}

const sortAscending = (times: readonly number[]): Float64Array => Float64Array.from(times).sort();

/**
 * Shortens the interval of each decision to at most the duration of the longest refusal. A refusal takes one round
 * trip. An admitted request can take longer because of its service time. The service time comes after the decision, so
 * it is cut off.
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

const shortestOf = (decisions: readonly LimiterDecision[]): number =>
  decisions.reduce((least, { sent, answered }) => Math.min(least, answered - sent), Infinity);

/**
 * Returns the log as if slow requests had waited for their decision. After its decision, each request takes as long as
 * the fastest request with the same decision.
 */
const withLateDecisions = (log: readonly LimiterDecision[]): readonly LimiterDecision[] => {
  const [admitted, refused] = [true, false].map((isAdmitted) =>
    shortestOf(log.filter((decision) => decision.admitted === isAdmitted)),
  ) as [number, number];
  return log.map((decision) => {
    const latest = decision.answered - (decision.admitted ? admitted : refused);
    return { ...decision, sent: instant(Math.max(decision.sent, latest)) };
  });
};

/**
 * Counts the decisions before a request. The order of overlapping requests is unknown, so the function assumes the
 * order that explains the decision. For an admitted request, it counts only requests that certainly came first. For a
 * refused request, it counts all requests that possibly came first.
 */
const priorDecisionsOf = (
  { middles, sent: begun, refusals }: Omit<DecisionHistory, 'priors'>,
  decision: LimiterDecision,
): PriorDecisions => {
  const { admitted, sent, answered } = decision;
  const times = admitted ? refusals.answered : refusals.sent;
  const until = admitted ? sent : answered;
  // For a refused request, the count includes the request itself, so one is subtracted.
  const itself = admitted ? 0 : 1;
  return {
    admitted: admitted ? countBefore(middles, middleOf(decision)) : countBefore(begun, answered),
    refusedSince: (from) =>
      Math.max(0, countBefore(times, until) - countBefore(times, from) - itself),
  };
};

/** At least this share of the duration of the shortest refusal was certainly spent in the network. */
const networkShare = 0.9;

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
  const roundTrip = refused.length === 0 ? 0 : shortestOf(refused);
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
 * Returns two possible histories for each list of `besides`. In one history, no request waited for its decision. In the
 * other history, slow requests waited. The histories without waiting come first.
 */
export const decisionHistoriesOf = (
  log: readonly LimiterDecision[],
  besides: readonly (readonly LimiterDecision[])[],
): readonly DecisionHistory[] =>
  [log, withLateDecisions(log)].flatMap((view) =>
    besides.map((counted) => decisionHistoryOf(view, counted)),
  );

/**
 * Returns a history that replays only every `every`-th decision. Skipped decisions still count as decisions before the
 * replayed decisions.
 */
export const sampleOf = (history: DecisionHistory, every: number): DecisionHistory => {
  const isSampled = (_: unknown, place: number): boolean => place % every === 0;
  return {
    ...history,
    decisions: history.decisions.filter(isSampled),
    indexes: history.indexes.filter(isSampled),
    priors: history.priors.filter(isSampled),
  };
};
