import type { LimiterDecision } from '../../../model/limits/limit-log.ts';
import { instant } from '../../../model/quantity.ts';
import { countBefore } from '../facts/count-instants.ts';

/** The middle of a decision's interval: off by at most half a round trip. */
export const middleOf = ({ sent, answered }: LimiterDecision): number => (sent + answered) / 2;

/** The requests admitted before a decision and refused since a moment, as far as the log shows. */
export interface PriorDecisions {
  readonly admitted: number;
  /** Refusals before, but not before `from`. */
  readonly refusedSince: (from: number) => number;
}

/**
 * A log prepared for replaying limiters. Decisions are assumed in the middle of their intervals; all
 * lists are ascending.
 */
export interface DecisionHistory {
  readonly decisions: readonly LimiterDecision[];
  /** Where each decision is in the log. */
  readonly indexes: readonly number[];
  readonly admitted: readonly LimiterDecision[];
  /** The middles of `admitted`. */
  readonly middles: Float64Array;
  /** When admitted requests were sent. */
  readonly sent: Float64Array;
  /** When refused requests were sent, and when they were answered. */
  readonly refusals: { readonly sent: Float64Array; readonly answered: Float64Array };
  /** The longest half of a round trip. */
  readonly slack: number;
  /** When admitted requests left the gateway, as far as is certain. */
  readonly ends: Float64Array;
  /** What came before each decision, which is the same for every limiter. */
  readonly priors: readonly PriorDecisions[];
}

const ascending = (times: readonly number[]): Float64Array => Float64Array.from(times).sort();

/**
 * The answer of an admitted request includes its service time; a refusal takes only a round trip. So no
 * decision is assumed later than the longest refusal took.
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

/** As if each request had waited until just the time of the fastest answer of its kind was left: a gateway that pauses decides late. */
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
 * The minimum before an admitted request, and the maximum before a refused one: of overlapping requests
 * only the order of the admitted ones matters, and any order of those admits the same number.
 */
const priorDecisionsOf = (
  { middles, sent: begun, refusals }: Omit<DecisionHistory, 'priors'>,
  decision: LimiterDecision,
): PriorDecisions => {
  const { admitted, sent, answered } = decision;
  const times = admitted ? refusals.answered : refusals.sent;
  const until = admitted ? sent : answered;
  // A refused request does not count itself.
  const itself = admitted ? 0 : 1;
  return {
    admitted: admitted ? countBefore(middles, middleOf(decision)) : countBefore(begun, answered),
    refusedSince: (from) =>
      Math.max(0, countBefore(times, until) - countBefore(times, from) - itself),
  };
};

/** So much of a round trip certainly passes outside the gateway: half of it before a request arrives, the rest after another one has left. */
const networkShare = 0.9;

/** The shortest time of a refusal in ms, all of it network; 0 without any. */
const shortestRefusal = (refused: readonly LimiterDecision[]): number =>
  refused.length === 0
    ? 0
    : refused.reduce((least, { sent, answered }) => Math.min(least, answered - sent), Infinity);

/** What is counted `besides` is no decision to explain. */
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
    sent: ascending(admitted.map(({ sent }) => sent)),
    refusals: {
      sent: ascending(refused.map(({ sent }) => sent)),
      answered: ascending(refused.map(({ answered }) => answered)),
    },
    slack: decisions.reduce((most, { sent, answered }) => Math.max(most, (answered - sent) / 2), 0),
    ends: ascending(
      admitted.map(({ sent, ended }) => Math.max(sent, ended - networkShare * roundTrip)),
    ),
  };
  return { ...history, priors: decisions.map((each) => priorDecisionsOf(history, each)) };
};

/**
 * The possible views of a log from within the gateway: no pauses, or slow requests had waited for their
 * decision; each with every possibility of what was counted besides. Those without pauses come first.
 */
export const decisionHistoriesOf = (
  log: readonly LimiterDecision[],
  besides: readonly (readonly LimiterDecision[])[],
): readonly DecisionHistory[] =>
  [log, withLateDecisions(log)].flatMap((view) =>
    besides.map((counted) => decisionHistoryOf(view, counted)),
  );

/** A history of which only every so many decisions are to be explained; all are counted. */
export const sampleOf = (history: DecisionHistory, every: number): DecisionHistory => {
  const isSampled = (_: unknown, place: number): boolean => place % every === 0;
  return {
    ...history,
    decisions: history.decisions.filter(isSampled),
    indexes: history.indexes.filter(isSampled),
    priors: history.priors.filter(isSampled),
  };
};
