import type { LimiterDecision, LimitRule } from '../../../../model/limits/limit-log.ts';
import type { SustainedFact } from '../../../../model/limits/limit-facts.ts';
import {
  evenRate,
  longestWindow,
  shortestWindow,
} from '../../../../judge/limits/facts/rule-bounds.ts';

/** Spared for the ends of the phase. */
const slackRequests = 2;

/**
 * The requests that every limiter of the rule admits in the end, but for one limit at the edge: picks
 * whose spacing is certain, one for each place of the even rate. It holds whatever else is sent:
 * - a bucket gains more than one place between two picks, so it loses none but those of its start;
 * - a window, or a log, has at most as many picks as places: if it refuses one, it has admitted as many;
 * - a weighted counter with the whole limit in its last window can refuse one pick of the next one, but
 *   has then admitted one more than its picks in the last one.
 */
const spacedRequests = (decisions: readonly LimiterDecision[], rule: LimitRule): number => {
  const spacing = 1 / evenRate(rule);
  let picks = 0;
  let next = Number.NEGATIVE_INFINITY;
  for (const { sent, answered } of decisions) {
    if (sent < next) continue;
    picks += 1;
    next = answered + spacing;
  }
  return picks;
};

/** The phases of a weighted counter that are tried, as parts of its window. */
const phaseParts = 16;

/**
 * Whether refusals certainly do not count: something was admitted that a log and a weighted counter of
 * all requests would both have refused, the counter whatever its phase.
 */
export const ignoresRefusals = (
  decisions: readonly LimiterDecision[],
  { limit, window }: LimitRule,
): boolean => {
  const phases = Array.from({ length: phaseParts }, (_, i) => i / phaseParts);
  const isProvoked = ({ sent, answered }: LimiterDecision): boolean => {
    const countWithin = (time: number): number =>
      decisions.filter((other) => other.sent > answered - time && other.answered <= sent).length;
    if (countWithin(shortestWindow(window)) < limit) return false;
    return phases.every((phase) => {
      const current = countWithin(phase * window);
      // What is not certainly in the current window weighs at least as much as the older one does at the end of this part.
      const older = countWithin((1 + phase) * window) - current;
      return current + older * (1 - phase - 1 / phaseParts) >= limit + 1;
    });
  };
  return decisions.some((decision) => decision.admitted && isProvoked(decision));
};

/**
 * The rate that a limiter admits under a load that always asks for more, with its bounds: in n windows
 * a limiter of L admits between (n − 1)·L and (n + 1)·L. `null` without such a load.
 */
export const sustainedRate = (
  decisions: readonly LimiterDecision[],
  rule: LimitRule,
): SustainedFact | null => {
  const { limit, window } = rule;
  const ordered = decisions.toSorted((a, b) => a.sent - b.sent);
  const [first, last] = [ordered[0], ordered.at(-1)];
  if (first === undefined || last === undefined) return null;
  const loaded = (last.sent - first.sent) / window;
  if (loaded < 1) return null;
  const admitted = ordered.filter((decision) => decision.admitted);
  // What a queue delays it admits later than the load ends.
  const answered = admitted.reduce<number>(
    (latest, each) => Math.max(latest, each.answered),
    last.sent,
  );
  const windows = (answered - first.sent) / window;
  const spaced = spacedRequests(ordered, rule);
  const isShort =
    admitted.length < spaced - limit - slackRequests && ignoresRefusals(ordered, rule);
  // A load that is refused only for what came before it can be lower than the limit.
  const isExceeded = ordered.some((each) => {
    const isPrompt = each.admitted && each.answered - each.sent < window / limit;
    return !isPrompt && each.sent > first.sent + longestWindow(window);
  });
  const most = isExceeded && loaded > 1 ? admitted.length / (loaded - 1) : null;
  return {
    windows,
    admitted: admitted.length,
    offered: ordered.length,
    spaced,
    // The longest span that `admitted` windows can fill, and the shortest.
    rate: { least: admitted.length / (windows + 1), most },
    isLow: admitted.length + slackRequests < loaded * window * evenRate(rule) - limit,
    isShort,
  };
};
