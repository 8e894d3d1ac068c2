import type { LimiterDecision, LimitRule } from '../../../../model/limits/limit-log.ts';
import type { EvenFact } from '../../../../model/limits/limit-facts.ts';
import { countBefore, countUpTo } from '../../../../judge/limits/facts/count-instants.ts';
import { evenRate, limiterMemory } from '../../../../judge/limits/facts/rule-bounds.ts';
import { fewRequests, type KeyHistory, type RequestSpan } from './request-spans.ts';

/** Absorbs the rounding of sums of instants, in requests. */
const rounding = 1e-9;

/**
 * Computes whether a client certainly kept the even rate up to a request: for every earlier request j,
 * the number since j, j included, is at most rate × (time since j). Requests count whether they were
 * admitted or not, since some limiters count refusals.
 */
const paceChecker = ({ requests, isIdleBefore, isFreshBefore }: KeyHistory, rule: LimitRule) => {
  const rate = evenRate(rule);
  const untils = Float64Array.from(requests, ({ until }) => until).sort();
  const froms = Float64Array.from(requests, ({ from }) => from).sort();
  const byEnd = requests.toSorted((a, b) => b.until - a.until);
  const begin = froms[0] ?? 0;
  const isPaced = (count: number, time: number): boolean =>
    time >= 0 && count <= rate * time + rounding;
  return ({ sent, answered }: LimiterDecision): boolean => {
    const startedBefore = countUpTo(froms, answered);
    // Windows, logs and counters forget what came before the log after two windows.
    const isForgotten =
      isIdleBefore ||
      ((isFreshBefore === true || sent - begin > limiterMemory(rule)) &&
        isPaced(fewRequests + startedBefore - 1, sent - begin));
    if (!isForgotten) return false;
    const isItself = (request: RequestSpan): boolean =>
      request.from === sent && request.until === answered;
    let passedItself = false;
    for (const request of byEnd) {
      if (request.from > answered) continue;
      if (!passedItself && isItself(request)) {
        passedItself = true;
        continue;
      }
      // All that can have been decided since this request, without the decision itself.
      const since = startedBefore - countBefore(untils, request.from) - 1;
      if (!isPaced(since, sent - request.until)) return false;
    }
    return true;
  };
};

/**
 * Whether every limiter of the rule admits what came evenly. A refusal of a client that certainly kept
 * the even rate is against the rule: it is within buckets of any size, windows of any phase and length,
 * logs and weighted counters.
 */
export const evenPace = (
  decisions: readonly LimiterDecision[],
  history: KeyHistory,
  rule: LimitRule,
): EvenFact => {
  const isPaced = paceChecker(history, rule);
  const paced = decisions.flatMap((decision, place) => (isPaced(decision) ? [place] : []));
  const refusals = paced.filter((place) => !decisions[place]!.admitted);
  return {
    paced: paced.length,
    refusals,
    seenLimit: seenLimitOf(
      paced.map((place) => decisions[place]!),
      rule,
    ),
  };
};

/** The requests per window that the evenly sent requests came to: a lower limit refuses some of them. `null` without a whole window. */
const seenLimitOf = (paced: readonly LimiterDecision[], { window }: LimitRule): number | null => {
  const sent = paced.map((decision) => decision.sent).toSorted((a, b) => a - b);
  let most = 0;
  let first = 0;
  for (const [last, at] of sent.entries()) {
    while (at - sent[first]! >= window) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return sent.length > 0 && sent.at(-1)! - sent[0]! >= window / 2 ? most : null;
};
