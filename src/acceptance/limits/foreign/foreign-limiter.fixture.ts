import type { Draw } from '../../../model/workload/draw.ts';

/** What a limiter made of one request. Lengths in ms. */
export interface RuleDecision {
  readonly admitted: boolean;
  /** How long an admitted request is held back before it is served. */
  readonly delay: number;
  /** Requests left, as the limiter itself would report; `null` if it cannot say. */
  readonly remaining: number | null;
  /** When to come again, as the limiter itself would report; `null` if it cannot say. */
  readonly retryAfter: number | null;
  /** Called with the time at which an admitted request was answered, by limiters that count then. */
  readonly onAnswered?: (now: number) => void;
}

/** Decides on a request that arrives at `now`, in ms since 1970 by the server's clock; calls never go back in time. */
export type DecisionRule = (now: number) => RuleDecision;

export interface LimiterSetting {
  readonly limit: number;
  /** In ms. */
  readonly window: number;
  /** When the server's process started, in ms since 1970; before the first request. */
  readonly start: number;
  readonly draw: Draw;
}

/** Families by what a client can observe; `limiter-families.fixture.ts` maps them to the names that Weir uses. */
export type LimiterFamily =
  | 'fixed-from-first'
  | 'fixed-aligned'
  | 'fixed-free'
  | 'sliding-log'
  | 'sliding-counter'
  | 'counter-counting-refusals'
  | 'token-bucket'
  | 'burst-bucket'
  | 'stepped-bucket'
  | 'queue'
  | 'burst-then-delay'
  | 'two-tiers'
  | 'penalty'
  | 'restart-by-refusals'
  | 'other';

/**
 * A limiter that others wrote: the rule by which it decides, read in its source and written anew. It
 * shares no code with the mock or the judge, so that it can serve as the truth about both.
 */
export interface ForeignLimiter {
  /** Package, version and algorithm. */
  readonly name: string;
  /** The file in which the rule was read. */
  readonly source: string;
  readonly family: LimiterFamily;
  /** Names of classes that are true of it beside its family's. */
  readonly alsoNamed?: readonly string[];
  /**
   * Whether it keeps "limit requests per window": `yes`; `no`, with the reason; or `arguable`, where the facts of
   * design/rate-limits.md leave it open.
   */
  readonly keeps: 'yes' | 'no' | 'arguable';
  readonly why: string;
  /** Whether the setting can be configured; any by default. */
  readonly offers?: (setting: { readonly limit: number; readonly window: number }) => boolean;
  readonly open: (setting: LimiterSetting) => DecisionRule;
}

export const admit = (remaining: number | null = null, delay = 0): RuleDecision => ({
  admitted: true,
  delay,
  remaining: remaining === null ? null : Math.max(0, Math.floor(remaining)),
  retryAfter: null,
});

export const refuse = (retryAfter: number | null = null): RuleDecision => ({
  admitted: false,
  delay: 0,
  remaining: 0,
  retryAfter,
});

/** A count within a window that ends at a known time. */
export interface CountedWindow {
  count: number;
  end: number;
}

/**
 * A counter that starts a window with its first request after the last one ended. `isOver` compares the
 * end with now: implementations differ in the equal case.
 */
export const countFromFirst = (
  { limit, window }: LimiterSetting,
  isOver: (end: number, now: number) => boolean,
): DecisionRule => {
  let state: CountedWindow | null = null;
  return (now) => {
    if (state === null || isOver(state.end, now)) state = { count: 0, end: now + window };
    state.count += 1;
    return state.count > limit ? refuse(state.end - now) : admit(limit - state.count);
  };
};

/** A counter for each window of a grid; `windowOf` names the window of a time and says when it ends. */
export const countOnGrid = (
  limit: number,
  windowOf: (now: number) => { readonly index: number; readonly end: number },
): DecisionRule => {
  let current = Number.NEGATIVE_INFINITY;
  let count = 0;
  return (now) => {
    const { index, end } = windowOf(now);
    if (index !== current) count = 0;
    current = index;
    count += 1;
    return count > limit ? refuse(end - now) : admit(limit - count);
  };
};

/** The times of the admitted requests; `isPast` says which no longer count. */
export const keepLog = (
  { limit, window }: LimiterSetting,
  isPast: (at: number, now: number) => boolean,
): DecisionRule => {
  const log: number[] = [];
  return (now) => {
    while (log.length > 0 && isPast(log[0]!, now)) log.shift();
    if (log.length >= limit) return refuse(log[0]! + window - now);
    log.push(now);
    return admit(limit - log.length);
  };
};

/** The rule of GCRA: one theoretical arrival time. `interval` and `tolerance` in ms. */
export const keepArrivalTime = (interval: number, tolerance: number): DecisionRule => {
  let arrival = Number.NEGATIVE_INFINITY;
  return (now) => {
    const next = Math.max(now, arrival) + interval;
    const early = next - tolerance - now;
    if (early > 1e-6) return refuse(early);
    arrival = next;
    return admit((tolerance - (next - now)) / interval);
  };
};

/** A bucket that starts full; `perMs` tokens a millisecond. */
export const refillEvenly = (capacity: number, perMs: number, first: number): DecisionRule => {
  let tokens = capacity;
  let last = first;
  return (now) => {
    tokens = Math.min(capacity, tokens + Math.max(0, now - last) * perMs);
    last = Math.max(last, now);
    if (tokens < 1 - 1e-9) return refuse((1 - tokens) / perMs);
    tokens -= 1;
    return admit(tokens);
  };
};
