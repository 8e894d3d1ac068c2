import type { LimiterDecision, LimitRule } from '../../../../model/limits/limit-log.ts';
import { limiterMemory } from '../../../../judge/limits/facts/rule-bounds.ts';
import type { RequestSpan } from './even-pace.ts';

/** Returns the instants at which a request was sent after the key had certainly been idle for two windows. */
export const idleBegins = (
  requests: readonly RequestSpan[],
  rule: LimitRule,
): readonly number[] => {
  let lastEnd = Infinity;
  const begins: number[] = [];
  for (const { from, until } of requests.toSorted((a, b) => a.from - b.from)) {
    if (from - lastEnd > limiterMemory(rule)) begins.push(from);
    lastEnd = lastEnd === Infinity ? until : Math.max(lastEnd, until);
  }
  return begins;
};

/**
 * Returns the spans of the requests that were not refused. Requests that were sent together can have equal spans, so
 * for each refusal only one equal span is removed.
 */
const withoutRefused = (
  decisions: readonly LimiterDecision[],
  requests: readonly RequestSpan[],
): readonly RequestSpan[] => {
  const nameOf = (from: number, until: number): string => `${from} ${until}`;
  const refused = new Map<string, number>();
  for (const { sent, answered, admitted } of decisions) {
    const name = nameOf(sent, answered);
    if (!admitted) refused.set(name, (refused.get(name) ?? 0) + 1);
  }
  return requests.filter(({ from, until }) => {
    const name = nameOf(from, until);
    const left = refused.get(name) ?? 0;
    if (left > 0) refused.set(name, left - 1);
    return left === 0;
  });
};

/**
 * Finds the refusals of an idle key, as indexes of the decisions. Every limiter that keeps the rule has forgotten a key
 * after two idle windows. So it admits the first request, and also every request that it certainly decided before any
 * other request.
 */
export const idleRefusals = (
  decisions: readonly LimiterDecision[],
  requests: readonly RequestSpan[],
  rule: LimitRule,
): readonly number[] => {
  const others = withoutRefused(decisions, requests);
  const begins = idleBegins(requests, rule);
  return begins.flatMap((begin, i) => {
    const end = begins[i + 1] ?? Infinity;
    const firstOther = others
      .filter(({ from }) => from >= begin)
      .reduce((least, { from }) => Math.min(least, from), Infinity);
    return [...decisions.entries()].flatMap(([place, { sent, answered, admitted }]) =>
      !admitted && sent >= begin && sent < end && answered < firstOther ? [place] : [],
    );
  });
};
