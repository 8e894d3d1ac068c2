import type { LimiterDecision, LimitRule } from '../../../../model/limits/limit-log.ts';
import type { EvenFact } from '../../../../model/limits/limit-facts.ts';
import { countBefore, countUpTo } from '../../../../judge/limits/facts/count-instants.ts';
import { evenRate, limiterMemory } from '../../../../judge/limits/facts/rule-bounds.ts';

/**
 * The span of a request, in ms. A limiter may have counted the request at any moment of this span, even if the request
 * was refused.
 */
export interface RequestSpan {
  readonly from: number;
  readonly until: number;
}

/**
 * A fresh key has sent at most this many requests before the log. A bucket may lack this many, since some buckets go
 * into debt by one request.
 */
export const maxFreshRequests = 2;

export interface KeyHistory {
  readonly requests: readonly RequestSpan[];
  /**
   * Whether the key was certainly idle before the first request, for example because the headers of an answer showed no
   * use.
   */
  readonly isIdleBefore: boolean;
  /**
   * Whether at most `maxFreshRequests` requests came before the first request of the log, such as a request for the
   * list of models.
   */
  readonly isFreshBefore?: boolean;
}

/** A count may exceed its bound by this many requests, since sums of instants have rounding errors. */
const roundingTolerance = 1e-9;

/**
 * Returns a function that decides whether the client certainly kept the even rate up to a request. The client kept it
 * if, for each earlier request j, the number of requests since j is at most the rate times the elapsed time. Example:
 * at 1 request/s, at most 5 requests, including j, in 5 s. Refused requests are included, since some limiters count
 * them.
 */
const paceChecker = ({ requests, isIdleBefore, isFreshBefore }: KeyHistory, rule: LimitRule) => {
  const rate = evenRate(rule);
  const untils = Float64Array.from(requests, ({ until }) => until).sort();
  const froms = Float64Array.from(requests, ({ from }) => from).sort();
  const byEnd = requests.toSorted((a, b) => b.until - a.until);
  const begin = froms[0] ?? 0;
  const isPaced = (count: number, time: number): boolean =>
    time >= 0 && count <= rate * time + roundingTolerance;
  return ({ sent, answered }: LimiterDecision): boolean => {
    const startedBefore = countUpTo(froms, answered);
    // Two windows after the log begins, limiters with windows, logs or counters have forgotten all use before it.
    const isForgotten =
      isIdleBefore ||
      ((isFreshBefore === true || sent - begin > limiterMemory(rule)) &&
        isPaced(maxFreshRequests + startedBefore - 1, sent - begin));
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
      // The number of other requests that a limiter may have decided since this request.
      const since = startedBefore - countBefore(untils, request.from) - 1;
      if (!isPaced(since, sent - request.until)) return false;
    }
    return true;
  };
};

/**
 * Finds the evenly sent requests and their refusals. A refusal of an evenly sent request breaks the rule, since every
 * limiter that keeps the rule admits requests at the even rate.
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

/**
 * Returns the highest number of evenly sent requests in any window. A gateway that admits them all has at least this
 * limit. Returns `null` if the requests cover less than half a window.
 */
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
