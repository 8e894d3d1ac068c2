import { limitHeaders } from '../contract/limit-headers.ts';
import type { MockLimits } from '../model/mock-limits.ts';
import { type Level, limiters, type Meter } from './limiter.ts';

/** The two limits of a key, in the order in which they are asked. */
export const limitCauses = ['requests', 'tokens'] as const;
export type LimitCause = (typeof limitCauses)[number];

/** A request that goes through, or the limit that stopped it. */
export type Admission =
  | { readonly admitted: true }
  | {
      readonly admitted: false;
      readonly cause: LimitCause;
      readonly limit: number;
      readonly level: Level;
    };

/** How full the limits of a key are, in units of each. */
export type Levels = Readonly<Partial<Record<LimitCause, Level & { readonly limit: number }>>>;

/**
 * What one key may still use (interface section 8). A request counts at its admission, a refused
 * one does not; tokens are charged when an answer has ended (mode `after`), so concurrent requests
 * can pass the token limit together, as at the real gateway.
 */
export interface Allowance {
  ask(now: number): Admission;
  charge(now: number, tokens: number): void;
  /** How full each limit is; one that is switched off is left out. */
  levels(now: number): Levels;
  /** The limit headers; those of a limit that is switched off are left out. */
  headers(now: number): Record<string, string>;
}

const costAtAdmission = { requests: 1, tokens: 0 } as const satisfies Record<LimitCause, number>;

const headerNames = {
  requests: { limit: limitHeaders.limitRequests, remaining: limitHeaders.remainingRequests },
  tokens: { limit: limitHeaders.limitTokens, remaining: limitHeaders.remainingTokens },
} as const satisfies Record<LimitCause, { readonly limit: string; readonly remaining: string }>;

interface Gauge {
  readonly cause: LimitCause;
  readonly limit: number;
  readonly meter: Meter;
}

/** The full allowance of one key. */
export const freshAllowance = (limits: MockLimits): Allowance => {
  const declared = { requests: limits.requestsPerMinute, tokens: limits.tokensPerMinute };
  const gauges = limitCauses.flatMap((cause): Gauge[] => {
    const limit = declared[cause];
    if (limit === null) return [];
    return [{ cause, limit, meter: limiters[limits.algorithm]({ limit, window: limits.window }) }];
  });
  return {
    ask: (now) => {
      const asked = gauges.map((gauge) => ({
        gauge,
        decision: gauge.meter.decide(now, costAtAdmission[gauge.cause]),
      }));
      const refusal = asked.find(({ decision }) => !decision.admitted);
      if (refusal === undefined) {
        for (const { decision } of asked) decision.commit();
        return { admitted: true };
      }
      refusal.decision.commit();
      const { cause, limit, meter } = refusal.gauge;
      return { admitted: false, cause, limit, level: meter.level(now) };
    },
    charge: (now, tokens) => {
      for (const { cause, meter } of gauges) if (cause === 'tokens') meter.charge(now, tokens);
    },
    levels: (now) =>
      Object.fromEntries(
        gauges.map(({ cause, limit, meter }) => [cause, { limit, ...meter.level(now) }]),
      ),
    headers: (now) =>
      Object.fromEntries(
        gauges.flatMap(({ cause, limit, meter }) => [
          [headerNames[cause].limit, String(limit)],
          [headerNames[cause].remaining, String(meter.level(now).remaining)],
        ]),
      ),
  };
};
