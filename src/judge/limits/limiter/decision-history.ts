import type { LimiterDecision } from '../../../model/limits/limit-log.ts';
import { instant } from '../../../model/quantity.ts';

/** The middle of a decision's interval: wrong by at most half a round trip. */
export const middleOf = ({ sent, answered }: LimiterDecision): number => (sent + answered) / 2;

/**
 * A log made ready for replaying limiters over it. Decisions are taken to have fallen in the middles
 * of their intervals; all lists ascend.
 */
export interface DecisionHistory {
  readonly decisions: readonly LimiterDecision[];
  readonly admitted: readonly LimiterDecision[];
  /** The middles of `admitted`. */
  readonly middles: Float64Array;
  /** When admitted requests were sent. */
  readonly sent: Float64Array;
  /** When refused requests were sent, and when they were answered. */
  readonly refusals: { readonly sent: Float64Array; readonly answered: Float64Array };
  /** The longest half of a round trip. */
  readonly slack: number;
}

const ascending = (times: readonly number[]): Float64Array => Float64Array.from(times).sort();

/**
 * An admitted request was decided on long before its answer began, which took the time of a service;
 * a refusal takes the way there and back alone. So no decision is taken to have fallen later than
 * the longest refusal took.
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

/** As if each request had lain somewhere until there was just time left for the fastest answer of its sort: a gateway that pauses decides late. */
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

const decisionHistoryOf = (log: readonly LimiterDecision[]): DecisionHistory => {
  const decisions = withoutServiceTime(log).toSorted((a, b) => middleOf(a) - middleOf(b));
  const admitted = decisions.filter((decision) => decision.admitted);
  const refused = decisions.filter((decision) => !decision.admitted);
  return {
    decisions,
    admitted,
    middles: Float64Array.from(admitted, middleOf),
    sent: ascending(admitted.map(({ sent }) => sent)),
    refusals: {
      sent: ascending(refused.map(({ sent }) => sent)),
      answered: ascending(refused.map(({ answered }) => answered)),
    },
    slack: decisions.reduce((most, { sent, answered }) => Math.max(most, (answered - sent) / 2), 0),
  };
};

/** What a log can look like from within the gateway: nothing there ever paused, or whatever took long had waited to be decided on. */
export const decisionHistoriesOf = (
  log: readonly LimiterDecision[],
): readonly DecisionHistory[] => [
  decisionHistoryOf(log),
  decisionHistoryOf(withLateDecisions(log)),
];

/** How many of the ascending `times` lie before `moment`. */
export const countBefore = (times: Float64Array, moment: number): number => {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle]! < moment) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** What had happened when a request was decided on, as far as one log can tell. */
export interface PriorDecisions {
  /** How many of the history's admitted requests came before. */
  readonly admitted: number;
  /** How many refusals came before and not earlier than `from`. */
  readonly refusedSince: (from: number) => number;
}

/**
 * What an admitted request saw at least, and a refused one at most: of requests that overlapped,
 * only the admitted ones have an order that matters, and any order of those admits the same number.
 */
export const priorDecisionsOf = (
  { middles, sent: begun, refusals }: DecisionHistory,
  decision: LimiterDecision,
): PriorDecisions => {
  if (decision.admitted) {
    const { answered } = refusals;
    return {
      admitted: countBefore(middles, middleOf(decision)),
      refusedSince: (from) =>
        Math.max(0, countBefore(answered, decision.sent) - countBefore(answered, from)),
    };
  }
  const { sent } = refusals;
  return {
    admitted: countBefore(begun, decision.answered),
    // Without itself.
    refusedSince: (from) =>
      Math.max(0, countBefore(sent, decision.answered) - countBefore(sent, from) - 1),
  };
};
