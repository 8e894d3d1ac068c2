import { limitHeaders } from '../../contract/limit-headers.ts';
import type { ResolvedMockLimits, LimitBug } from '../../model/gateway/mock-limits.ts';
import { withDelayedWrites, staleTokenCounter, openMeter } from './meters.ts';
import type { MeterLevel, MeterRule } from './meter.ts';

/** The limits of a key, in the order in which they are checked. */
export const limitCauses = ['in-flight', 'requests', 'tokens'] as const;
export type LimitCause = (typeof limitCauses)[number];

/** The level of each limit of a key; disabled limits are absent. */
export type LimitLevels = Readonly<
  Partial<Record<LimitCause, MeterLevel & { readonly limit: number }>>
>;

/** The current limit headers; those of disabled limits are absent. */
export type LimitHeaders = Readonly<Record<string, string>>;

/** A limit that refuses a request. */
export interface LimitExceeded {
  readonly admitted: false;
  readonly cause: LimitCause;
  readonly limit: number;
  readonly level: MeterLevel;
  /** The time from which the same request would be admitted if no other request came. */
  readonly fitsAt: number;
  readonly headers: LimitHeaders;
}

export interface Permit {
  readonly admitted: true;
  /** The time at which the request may continue: at once, except in a queue. */
  readonly startsAt: number;
  /** Reserves tokens before the answer, if the gateway does so. A request that is refused here is not counted. */
  reserve(now: number, tokens: number): LimitExceeded | null;
  /** Charges the tokens that were used; called once, when the answer has ended. */
  charge(now: number, tokens: number): void;
  end(): void;
  readonly headers: LimitHeaders;
}

export type Admission = Permit | LimitExceeded;

const headerNames = [
  ['requests', limitHeaders.limitRequests, limitHeaders.remainingRequests],
  ['tokens', limitHeaders.limitTokens, limitHeaders.remainingTokens],
] as const;

const defaultInFlightCap = 10;

/** The counters of one key in one worker. */
const newCounters = (limits: ResolvedMockLimits, phase: number) => {
  const { algorithm, window, steps, burstShare, bugs } = limits;
  const has = (bug: LimitBug): boolean => (bugs as readonly LimitBug[]).includes(bug);
  const openMeteredLimit = (limit: number | null, isStale: boolean) => {
    if (limit === null || algorithm === 'in-flight') return null;
    const burst = Math.max(1, Math.floor(limit * burstShare));
    const rule: MeterRule = { limit, window, phase, burst, steps };
    const meter = isStale ? staleTokenCounter(rule) : openMeter[algorithm](rule);
    return { limit, meter: has('lostUpdates') ? withDelayedWrites(meter) : meter };
  };
  return {
    inFlight: 0,
    cap: limits.inFlight ?? (algorithm === 'in-flight' ? defaultInFlightCap : null),
    requests: openMeteredLimit(limits.requestsPerMinute, false),
    tokens: openMeteredLimit(limits.tokensPerMinute, has('staleTokenCounter')),
  };
};
type WorkerCounters = ReturnType<typeof newCounters>;

/** The wait, in ms, that is asked for if too many requests are in flight, since it is unknown when one ends. */
const inFlightRetryDelay = 1000;

const headersOf = (counters: WorkerCounters, now: number): LimitHeaders => {
  const headers: Record<string, string> = {};
  for (const [cause, limit, remaining] of headerNames) {
    const metered = counters[cause];
    if (metered === null) continue;
    headers[limit] = String(metered.limit);
    headers[remaining] = String(metered.meter.level(now).remaining);
  }
  return headers;
};

/** Checks all limits of one worker. Counts the request only if it fits all of them. */
const checkWorkerLimits = (
  counters: WorkerCounters,
  limits: ResolvedMockLimits,
  now: number,
): Admission => {
  const { cap, requests, tokens } = counters;
  if (cap !== null && counters.inFlight >= cap) {
    if (limits.bugs.includes('inFlightRefusalsCount')) requests?.meter.count(now, 1);
    const fitsAt = now + inFlightRetryDelay;
    const level = { remaining: 0, resetAt: fitsAt };
    const headers = headersOf(counters, now);
    return { admitted: false, cause: 'in-flight', limit: cap, level, fitsAt, headers };
  }
  const exceeded = (cause: 'requests' | 'tokens', at: number, amount: number): LimitExceeded => {
    requests?.meter.onRefused(at);
    const { limit, meter } = counters[cause]!;
    const [level, fitsAt] = [meter.level(at), meter.fitsAt(at, amount)];
    return { admitted: false, cause, limit, level, fitsAt, headers: headersOf(counters, at) };
  };
  if (requests?.meter.fits(now, 1) === false) return exceeded('requests', now, 1);
  if (tokens?.meter.fits(now, 0) === false) return exceeded('tokens', now, 0);
  counters.inFlight += 1;
  const starts = [requests?.meter.count(now, 1) ?? now, tokens?.meter.count(now, 0) ?? now];
  let reserved = 0;
  return {
    admitted: true,
    startsAt: Math.max(...starts),
    headers: headersOf(counters, now),
    reserve: (at, amount) => {
      if (tokens === null || limits.accounting === 'after') return null;
      if (!tokens.meter.fits(at, amount)) {
        requests?.meter.count(at, -1);
        return exceeded('tokens', at, amount);
      }
      reserved = amount;
      tokens.meter.count(at, amount);
      return null;
    },
    charge: (at, amount) => {
      if (limits.accounting !== 'reserve') tokens?.meter.count(at, amount - reserved);
    },
    end: () => {
      counters.inFlight -= 1;
    },
  };
};

/** Returns the level of one limit in one worker; `null` if it is disabled. */
const levelIn = (counters: WorkerCounters, cause: LimitCause, now: number) => {
  if (cause !== 'in-flight') {
    const metered = counters[cause];
    return metered && { limit: metered.limit, ...metered.meter.level(now) };
  }
  const { cap, inFlight } = counters;
  return cap === null ? null : { limit: cap, remaining: cap - inFlight, resetAt: now };
};

/**
 * Opens the unused limits of one key (interface section 8); `phase` is a time at which a window of the wall clock
 * begins.
 */
export const openKeyLimiter = (limits: ResolvedMockLimits, phase: number) => {
  const workers = Array.from({ length: limits.workers }, () => newCounters(limits, phase));
  let turn = 0;
  let hiddenCountedUntil: number | null = null;
  const countHiddenRequests = (counters: WorkerCounters, now: number): void => {
    const interval = limits.window / limits.hiddenRequests;
    hiddenCountedUntil ??= now;
    for (; hiddenCountedUntil + interval <= now; hiddenCountedUntil += interval) {
      if (counters.requests?.meter.fits(now, 1) === true) counters.requests.meter.count(now, 1);
    }
  };
  const next = (): WorkerCounters => workers[turn % workers.length]!;
  return {
    /** Returns the headers of an answer that does not count against the limits. */
    headers: (now: number) => headersOf(next(), now),
    admit: (now: number): Admission => {
      const counters = next();
      turn += 1;
      if (limits.hiddenRequests > 0) countHiddenRequests(counters, now);
      return checkWorkerLimits(counters, limits, now);
    },
    /** Returns the levels of all limits, summed over all workers. */
    levels: (now: number): LimitLevels =>
      Object.fromEntries(
        limitCauses.flatMap((cause) => {
          const levels = workers.flatMap((counters) => levelIn(counters, cause, now) ?? []);
          if (levels.length === 0) return [];
          const sum = {
            limit: levels.reduce((all, { limit }) => all + limit, 0),
            remaining: levels.reduce((all, { remaining }) => all + remaining, 0),
            resetAt: Math.max(...levels.map(({ resetAt }) => resetAt)),
          };
          return [[cause, sum]];
        }),
      ),
  };
};

export type KeyLimiter = ReturnType<typeof openKeyLimiter>;
