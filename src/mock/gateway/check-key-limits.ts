import type { ResolvedMockLimits, ResponseClass } from '../../model/gateway/mock-limits.ts';
import type { MockClock } from '../clock/mock-clock.ts';
import type { CounterEpoch } from './counter-epoch.ts';
import type { MockExchange } from '../http/mock-exchange.ts';
import type { Admission, KeyLimiter, LimitHeaders, Permit } from '../limits/key-limiter.ts';
import type { RouteName } from '../counters/mock-counters.ts';

/** The class of a response, which decides whether it has limit headers. */
const responseClassOf = (route: RouteName, status: number, contentType: string): ResponseClass => {
  if (status === 429) return 'limited';
  if (status >= 400) return 'refused';
  return route === 'chat' && contentType.startsWith('text/event-stream') ? 'chat-stream' : route;
};

/** For requests that are not limited. */
const unlimitedPermit: Permit = {
  admitted: true,
  startsAt: Number.NEGATIVE_INFINITY,
  reserve: () => null,
  charge: () => undefined,
  end: () => undefined,
};

/** Returns a function that sets the limit headers of the answer, on the responses that have them. */
export const limitHeaderSetter = (
  exchange: MockExchange,
  route: RouteName,
  { headersOn }: ResolvedMockLimits,
): ((headers: LimitHeaders) => void) => {
  const showsHeaders = (shown: ResponseClass): boolean =>
    (headersOn as readonly ResponseClass[]).includes(shown);
  return (headers) => {
    exchange.extraHeaders = (status, contentType) =>
      showsHeaders(responseClassOf(route, status, contentType)) ? headers : {};
  };
};

/** Checks the limits of a key and traces their levels. */
export const checkKeyLimits = (
  exchange: MockExchange,
  limiter: KeyLimiter,
  { route, epoch, clock }: { route: RouteName; epoch: CounterEpoch; clock: MockClock },
): Admission => {
  const { limits } = epoch;
  const now = clock.now();
  if ((limits.uncounted as readonly string[]).includes(route)) {
    return { ...unlimitedPermit, headers: limiter.headers(now) };
  }
  const { trace } = exchange;
  const before = trace === null ? null : limiter.levels(now);
  const admission = limiter.admit(now);
  if (before !== null) trace?.setFields({ limits: { before, after: limiter.levels(now) } });
  return admission;
};
