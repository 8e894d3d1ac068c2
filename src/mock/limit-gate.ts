import type { CompleteLimits, ResponseClass } from '../model/mock-limits.ts';
import type { MockClock } from './clock.ts';
import type { Era } from './era.ts';
import type { Exchange } from './exchange.ts';
import type { Admission, Allowance, LimitHeaders, Permit } from './limits/allowance.ts';
import { responseClassOf } from './limits/response-class.ts';
import type { RouteName } from './tally.ts';

/** What is not limited goes on at once and is charged nothing. */
const uncounted: Permit = {
  admitted: true,
  startsAt: Number.NEGATIVE_INFINITY,
  reserve: () => null,
  charge: () => undefined,
  end: () => undefined,
};

/** Lets the answer bear limit headers, where such a response does. */
export const carryLimits = (
  exchange: Exchange,
  route: RouteName,
  { headersOn }: CompleteLimits,
): ((headers: LimitHeaders) => void) => {
  const bears = (shown: ResponseClass): boolean =>
    (headersOn as readonly ResponseClass[]).includes(shown);
  return (headers) =>
    exchange.carry((status, contentType) =>
      bears(responseClassOf(route, status, contentType)) ? headers : {},
    );
};

/** Asks the limits. */
export const askLimits = (
  exchange: Exchange,
  allowance: Allowance,
  { route, era, clock }: { route: RouteName; era: Era; clock: MockClock },
): Admission => {
  const { limits } = era;
  const now = clock.now();
  if ((limits.uncounted as readonly string[]).includes(route)) {
    return { ...uncounted, headers: allowance.headers(now) };
  }
  const { witness } = exchange;
  const before = witness === null ? null : allowance.levels(now);
  const admission = allowance.ask(now);
  if (before !== null) witness?.note({ limits: { before, after: allowance.levels(now) } });
  return admission;
};
