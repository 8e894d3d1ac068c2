import { limitHeaders } from '../../contract/limit-headers.ts';
import type { CompleteLimits, LimitBug } from '../../model/mock-limits.ts';
import { countingLate, staleCounter } from './known-bugs.ts';
import type { Level, Meter, Rule } from './meter.ts';
import { meters } from './meters.ts';

/** The limits of a key, in the order in which they are asked. */
export const limitCauses = ['in-flight', 'requests', 'tokens'] as const;
export type LimitCause = (typeof limitCauses)[number];

/** How full each limit of a key is; those that are switched off are left out. */
export type Levels = Readonly<Partial<Record<LimitCause, Level & { readonly limit: number }>>>;

/** The limit that stopped a request. */
export interface Stopped {
  readonly admitted: false;
  readonly cause: LimitCause;
  readonly limit: number;
  readonly level: Level;
  /** The instant from which the same request would go through if nobody else asked. */
  readonly fitsAt: number;
}

/** The limit headers as they stand; those of a limit that is switched off are left out. */
export type LimitHeaders = Readonly<Record<string, string>>;
interface Told {
  readonly headers: LimitHeaders;
}

/** A request that goes through. */
export interface Permit {
  readonly admitted: true;
  /** When it may go on: at once, except in a queue. */
  readonly startsAt: number;
  /** Sets tokens aside before the answer, where the gateway does so; a request that they do not suffice for counts nothing. */
  reserve(now: number, tokens: number): (Stopped & Told) | null;
  /** Charges what was really used; called once, when the answer has ended. */
  charge(now: number, tokens: number): void;
  /** Frees the request's place in flight; called once. */
  end(): void;
}

export type Admission = (Permit | Stopped) & Told;

/**
 * What one key may still use (interface section 8). A request counts at its admission, a refused
 * one does not unless the algorithm or a known bug says so.
 */
export interface Allowance {
  ask(now: number): Admission;
  /** What an answer bears that asks nothing of the limits. */
  headers(now: number): LimitHeaders;
  /** The levels of all limits, over all workers. */
  levels(now: number): Levels;
}

const headerNames = {
  requests: { limit: limitHeaders.limitRequests, remaining: limitHeaders.remainingRequests },
  tokens: { limit: limitHeaders.limitTokens, remaining: limitHeaders.remainingTokens },
} as const;

interface Gauge {
  readonly limit: number;
  readonly meter: Meter;
}

/** What one worker counts of one key. */
interface Counters {
  inFlight: number;
  readonly cap: number | null;
  readonly requests: Gauge | null;
  readonly tokens: Gauge | null;
}

const defaultCap = 10;

const newCounters = (limits: CompleteLimits, phase: number): Counters => {
  const { algorithm, window, steps, burstShare, bugs } = limits;
  const has = (bug: LimitBug): boolean => (bugs as readonly LimitBug[]).includes(bug);
  const gauge = (limit: number | null, isStale: boolean): Gauge | null => {
    if (limit === null || algorithm === 'in-flight') return null;
    const burst = Math.max(1, Math.floor(limit * burstShare));
    const rule: Rule = { limit, window, phase, burst, steps };
    const meter = isStale ? staleCounter(rule) : meters[algorithm](rule);
    return { limit, meter: has('lostUpdates') ? countingLate(meter) : meter };
  };
  return {
    inFlight: 0,
    cap: limits.inFlight ?? (algorithm === 'in-flight' ? defaultCap : null),
    requests: gauge(limits.requestsPerMinute, false),
    tokens: gauge(limits.tokensPerMinute, has('staleTokenCounter')),
  };
};

const stopped = (
  cause: 'requests' | 'tokens',
  { limit, meter }: Gauge,
  { now, amount }: { readonly now: number; readonly amount: number },
): Stopped => ({
  admitted: false,
  cause,
  limit,
  level: meter.level(now),
  fitsAt: meter.fitsAt(now, amount),
});

/** Nobody knows when a place in flight is free again; clients are told to wait this long (ms). */
const placeFreeIn = 1000;

const headersOf = ({ requests, tokens }: Counters, now: number): LimitHeaders => {
  const headers: Record<string, string> = {};
  const tell = (names: { readonly limit: string; readonly remaining: string }, gauge: Gauge) => {
    headers[names.limit] = String(gauge.limit);
    headers[names.remaining] = String(gauge.meter.level(now).remaining);
  };
  if (requests !== null) tell(headerNames.requests, requests);
  if (tokens !== null) tell(headerNames.tokens, tokens);
  return headers;
};

/** Asks all limits of one worker; books the request only if all of them have room. */
const decide = (counters: Counters, limits: CompleteLimits, now: number): Permit | Stopped => {
  const { cap, requests, tokens } = counters;
  if (cap !== null && counters.inFlight >= cap) {
    if (limits.bugs.includes('inFlightRefusalsCount')) requests?.meter.book(now, 1);
    const fitsAt = now + placeFreeIn;
    const level = { remaining: 0, resetAt: fitsAt };
    return { admitted: false, cause: 'in-flight', limit: cap, level, fitsAt };
  }
  const isShort = requests !== null && !requests.meter.fits(now, 1);
  if (isShort || (tokens !== null && !tokens.meter.fits(now, 0))) {
    requests?.meter.refuse(now);
    return isShort
      ? stopped('requests', requests, { now, amount: 1 })
      : stopped('tokens', tokens!, { now, amount: 0 });
  }
  counters.inFlight += 1;
  const startsAt = Math.max(requests?.meter.book(now, 1) ?? now, tokens?.meter.book(now, 0) ?? now);
  let reserved = 0;
  return {
    admitted: true,
    startsAt,
    reserve: (at, amount) => {
      if (tokens === null || limits.accounting === 'after') return null;
      if (!tokens.meter.fits(at, amount)) {
        requests?.meter.book(at, -1);
        requests?.meter.refuse(at);
        const short = stopped('tokens', tokens, { now: at, amount });
        return { ...short, headers: headersOf(counters, at) };
      }
      reserved = amount;
      tokens.meter.book(at, amount);
      return null;
    },
    charge: (at, amount) => {
      if (limits.accounting !== 'reserve') tokens?.meter.book(at, amount - reserved);
    },
    end: () => {
      counters.inFlight -= 1;
    },
  };
};

/** The full allowance of one key; `phase` is an instant at which a window of the wall clock begins. */
export const freshAllowance = (limits: CompleteLimits, phase: number): Allowance => {
  const workers = Array.from({ length: limits.workers }, () => newCounters(limits, phase));
  let turn = 0;
  /** Up to when somebody else's requests are counted. */
  let hiddenUntil: number | null = null;
  const spendHidden = (counters: Counters, now: number): void => {
    const apart = limits.window / limits.hiddenRequests;
    hiddenUntil ??= now;
    for (; hiddenUntil + apart <= now; hiddenUntil += apart) {
      if (counters.requests?.meter.fits(now, 1) === true) counters.requests.meter.book(now, 1);
    }
  };
  const next = (): Counters => workers[turn % workers.length]!;
  return {
    headers: (now) => headersOf(next(), now),
    ask: (now) => {
      const counters = next();
      turn += 1;
      if (limits.hiddenRequests > 0) spendHidden(counters, now);
      return { ...decide(counters, limits, now), headers: headersOf(counters, now) };
    },
    levels: (now) => {
      const over = (gaugeOf: (counters: Counters) => (Level & { limit: number }) | null) => {
        const gauges = workers.flatMap((counters) => gaugeOf(counters) ?? []);
        if (gauges.length === 0) return undefined;
        return {
          limit: gauges.reduce((sum, { limit }) => sum + limit, 0),
          remaining: gauges.reduce((sum, { remaining }) => sum + remaining, 0),
          resetAt: Math.max(...gauges.map(({ resetAt }) => resetAt)),
        };
      };
      const timed = (gauge: Gauge | null) =>
        gauge && { limit: gauge.limit, ...gauge.meter.level(now) };
      const all: Record<LimitCause, ReturnType<typeof over>> = {
        'in-flight': over(({ cap, inFlight }) =>
          cap === null ? null : { limit: cap, remaining: cap - inFlight, resetAt: now },
        ),
        requests: over(({ requests }) => timed(requests)),
        tokens: over(({ tokens }) => timed(tokens)),
      };
      return Object.fromEntries(Object.entries(all).filter(([, level]) => level !== undefined));
    },
  };
};
