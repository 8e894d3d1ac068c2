import { limitHeaders } from '../../contract/limit-headers.ts';
import type { ResolvedMockLimits } from '../../model/gateway/mock-limits.ts';
import { drawFrom, type Draw } from '../../model/workload/draw.ts';
import { withDelayedWrites, openMeter } from './meters.ts';
import type { MeterLevel, MeterRule } from './meter.ts';
import { openTokenLimiter, type RecordCharge } from './token-limiter.ts';
import type { ChargedChat, ChatUse } from './token-rules.ts';

/** The limits of a key, in the order in which the gateway checks them. */
export const limitCauses = ['in-flight', 'requests', 'tokens'] as const;
export type LimitCause = (typeof limitCauses)[number];

/** The level of each limit of a key. Disabled limits are absent. */
export type LimitLevels = Readonly<
  Partial<Record<LimitCause, MeterLevel & { readonly limit: number }>>
>;

/** The current limit headers. The headers of disabled limits are absent. */
export type LimitHeaders = Readonly<Record<string, string>>;

export interface LimitExceeded {
  readonly admitted: false;
  readonly cause: LimitCause;
  readonly limit: number;
  readonly level: MeterLevel;
  /** From this time on, the refused request would be admitted if no other request came. */
  readonly fitsAt: number;
  readonly headers: LimitHeaders;
}

export interface Permit {
  readonly admitted: true;
  /** The time at which the request may continue. With a queue as limiter, this time may be in the future. */
  readonly startsAt: number;
  /**
   * Makes the charges that are due before the answer of a chat. A request that `reserve` refuses does not count against
   * the limit on requests.
   */
  reserve(now: number, chat: ChargedChat): LimitExceeded | null;
  /** Makes the charge that is due with the first token of a chat. Must be called when the first token is due. */
  firstToken(now: number, cachedTokens: number): void;
  /** Charges the tokens that a chat used. Must be called exactly once, when the answer has ended. */
  charge(now: number, use: ChatUse): void;
  end(): void;
  readonly headers: LimitHeaders;
}

export type Admission = Permit | LimitExceeded;

const headerNames = [
  ['requests', limitHeaders.limitRequests, limitHeaders.remainingRequests],
  ['tokens', limitHeaders.limitTokens, limitHeaders.remainingTokens],
] as const;

const defaultInFlightCap = 10;

const newCounters = (limits: ResolvedMockLimits, phase: number, draw: Draw) => {
  const { algorithm, window, steps, burstShare, requestsPerMinute: limit } = limits;
  const openRequestLimit = () => {
    if (limit === null || algorithm === 'in-flight') return null;
    const burst = Math.max(1, Math.floor(limit * burstShare));
    const rule: MeterRule = { limit, window, phase, burst, steps };
    const meter = openMeter[algorithm](rule);
    return { limit, meter: limits.bugs.includes('lostUpdates') ? withDelayedWrites(meter) : meter };
  };
  return {
    inFlight: 0,
    cap: limits.inFlight ?? (algorithm === 'in-flight' ? defaultInFlightCap : null),
    requests: openRequestLimit(),
    tokens: openTokenLimiter(limits, phase, draw),
  };
};
type WorkerCounters = ReturnType<typeof newCounters>;

/**
 * If too many requests are in flight, the refusal names a wait of this many ms. The wait is a guess, since nobody knows
 * when a request will end.
 */
const inFlightRetryDelay = 1000;

/** Returns the level that headers and refusals show for a limit; `null` if the limit is disabled. */
const shownLevel = (
  { requests, tokens }: WorkerCounters,
  cause: 'requests' | 'tokens',
  now: number,
) =>
  cause === 'tokens'
    ? tokens && { limit: tokens.limit, ...tokens.shownLevel(now) }
    : requests && { limit: requests.limit, ...requests.meter.level(now) };

const headersOf = (counters: WorkerCounters, now: number): LimitHeaders => {
  const headers: Record<string, string> = {};
  for (const [cause, limitName, remainingName] of headerNames) {
    const level = shownLevel(counters, cause, now);
    if (level === null) continue;
    headers[limitName] = String(level.limit);
    headers[remainingName] = String(level.remaining);
  }
  return headers;
};

/** Checks all limits of one worker. Counts the request only if it fits all of them. */
const checkWorkerLimits = (
  counters: WorkerCounters,
  limits: ResolvedMockLimits,
  now: number,
  record: RecordCharge,
): Admission => {
  const { cap, requests, tokens } = counters;
  if (cap !== null && counters.inFlight >= cap) {
    if (limits.bugs.includes('inFlightRefusalsCount')) requests?.meter.count(now, 1);
    const fitsAt = now + inFlightRetryDelay;
    const level = { remaining: 0, resetAt: fitsAt };
    const headers = headersOf(counters, now);
    return { admitted: false, cause: 'in-flight', limit: cap, level, fitsAt, headers };
  }
  const exceeded = (cause: 'requests' | 'tokens', at: number, fitsAt: number): LimitExceeded => {
    requests?.meter.onRefused(at);
    if (cause === 'tokens') tokens?.onRefused(at);
    const { limit, ...level } = shownLevel(counters, cause, at)!;
    return { admitted: false, cause, limit, level, fitsAt, headers: headersOf(counters, at) };
  };
  if (requests?.meter.fits(now, 1) === false)
    return exceeded('requests', now, requests.meter.fitsAt(now, 1));
  const account = tokens?.open(record);
  const tokensFitAt = tokens?.refusedUntil(now) ?? null;
  if (tokensFitAt !== null) return exceeded('tokens', now, tokensFitAt);
  counters.inFlight += 1;
  const starts = [requests?.meter.count(now, 1) ?? now, tokens?.begin(now) ?? now];
  return {
    admitted: true,
    startsAt: Math.max(...starts),
    headers: headersOf(counters, now),
    reserve: (at, chat) => {
      const fitsAt = account?.reserve(at, chat) ?? null;
      if (fitsAt === null) return null;
      requests?.meter.count(at, -1);
      return exceeded('tokens', at, fitsAt);
    },
    firstToken: (at, cachedTokens) => account?.firstToken(at, cachedTokens),
    charge: (at, use) => account?.end(at, use),
    end: () => {
      counters.inFlight -= 1;
    },
  };
};

/**
 * Returns the true levels of one limit in one worker: one level for each counter, or no level if the limit is disabled.
 */
const levelsIn = (counters: WorkerCounters, cause: LimitCause, now: number) => {
  const { cap, inFlight, requests, tokens } = counters;
  if (cause === 'tokens') return tokens?.levels(now) ?? [];
  if (cause === 'requests')
    return requests === null ? [] : [{ limit: requests.limit, ...requests.meter.level(now) }];
  return cap === null ? [] : [{ limit: cap, remaining: cap - inFlight, resetAt: now }];
};

/**
 * Opens the limits of one key, without any use so far (interface section 8). `phase` is a time at which a window of the
 * wall clock begins. `seed` decides random refusals.
 */
export const openKeyLimiter = (limits: ResolvedMockLimits, phase: number, seed = 1) => {
  const draw = drawFrom(seed, 44);
  const workers = Array.from({ length: limits.workers }, () => newCounters(limits, phase, draw));
  let turn = 0;
  let hiddenCountedUntil: number | null = null;
  const countHiddenRequests = (counters: WorkerCounters, now: number): void => {
    const interval = limits.window / limits.hiddenRequests;
    hiddenCountedUntil ??= now;
    for (; hiddenCountedUntil + interval <= now; hiddenCountedUntil += interval) {
      if (counters.requests?.meter.fits(now, 1) === true) counters.requests.meter.count(now, 1);
    }
  };
  const byConnection = limits.workersBy === 'connections';
  const next = (connection: number): WorkerCounters =>
    workers[(byConnection ? connection : turn) % workers.length]!;
  return {
    /** Returns the headers of an answer that does not count against the limits. */
    headers: (now: number, connection = 0) => headersOf(next(connection), now),
    /** Admits or refuses a request. Calls `record` with each charge of its tokens as soon as the charge is decided. */
    admit: (now: number, record: RecordCharge = () => undefined, connection = 0): Admission => {
      const counters = next(connection);
      turn += 1;
      if (limits.hiddenRequests > 0) countHiddenRequests(counters, now);
      return checkWorkerLimits(counters, limits, now, record);
    },
    /** Returns the levels of all limits, summed over all workers. */
    levels: (now: number): LimitLevels =>
      Object.fromEntries(
        limitCauses.flatMap((cause) => {
          const levels = workers.flatMap((counters) => levelsIn(counters, cause, now));
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
