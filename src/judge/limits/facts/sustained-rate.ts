import type { LimiterDecision, LimitRule } from '../../../model/limits/limit-log.ts';
import type { SustainedFact } from '../../../model/limits/limit-facts.ts';
import { longestWindow } from './rule-bounds.ts';
import type { RequestSpan } from './request-spans.ts';

/** Requests certainly within the last two windows, in limits, that show that a limiter which counts refusals would refuse. */
const provoking = 1.2;

/** A weighted counter of a few requests loses whole ones to its fractions, window after window. */
const leastJudgedLimit = 5;

/** Spared for the ends of the phase. */
const slackRequests = 2;

/**
 * The requests that a limiter with a burst of one certainly admits, if it admits one each window / limit:
 * picks whose spacing is certain. No limiter of the rule admits fewer, but for one limit at the edge.
 */
const spacedRequests = (
  decisions: readonly LimiterDecision[],
  { limit, window }: LimitRule,
): number => {
  const spacing = longestWindow(window) / limit;
  let picks = 0;
  let next = Number.NEGATIVE_INFINITY;
  for (const { sent, answered } of decisions) {
    if (sent < next) continue;
    picks += 1;
    next = answered + spacing;
  }
  return picks;
};

/**
 * Whether refusals certainly do not count: something was admitted after two windows in each of which
 * requests came evenly and more often than the limit. A log or counter of all requests would have
 * refused it.
 */
const ignoresRefusals = (
  decisions: readonly LimiterDecision[],
  requests: readonly RequestSpan[],
  { limit, window }: LimitRule,
): boolean => {
  const quarters = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => (i * window) / 4);
  const isProvoked = ({ sent }: LimiterDecision): boolean =>
    quarters.every((ago) => {
      const within = requests.filter(
        ({ from, until }) => until <= sent - ago && from >= sent - ago - window / 4,
      );
      return within.length >= (provoking * limit) / 4;
    });
  return decisions.some((decision) => decision.admitted && isProvoked(decision));
};

/**
 * The rate that a limiter admits under a load that always asks for more, with its bounds: in n windows
 * a limiter of L admits between (n − 1)·L and (n + 1)·L. `null` without such a load.
 */
export const sustainedRate = (
  decisions: readonly LimiterDecision[],
  requests: readonly RequestSpan[],
  rule: LimitRule,
): SustainedFact | null => {
  const { limit, window } = rule;
  const ordered = decisions.toSorted((a, b) => a.sent - b.sent);
  const [first, last] = [ordered[0], ordered.at(-1)];
  if (first === undefined || last === undefined) return null;
  const windows = (last.sent - first.sent) / window;
  if (windows < 1) return null;
  const admitted = ordered.filter((decision) => decision.admitted).length;
  const spaced = spacedRequests(ordered, rule);
  const isShort =
    limit >= leastJudgedLimit &&
    admitted < spaced - limit - slackRequests &&
    ignoresRefusals(ordered, requests, rule);
  return {
    windows,
    admitted,
    offered: ordered.length,
    spaced,
    // The longest span that `admitted` windows can fill, and the shortest.
    rate: { least: admitted / (windows + 1), most: windows > 1 ? admitted / (windows - 1) : null },
    isShort,
  };
};
