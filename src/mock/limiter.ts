import type { LimiterKind } from '../model/mock-limits.ts';

/**
 * Rate limiters as pure decisions: a state goes in, a decision and the next state come out, time is
 * an argument. One key has one state per limit. Another algorithm is another row of `limiters`.
 */

/** So many units (requests or tokens) within so many milliseconds. */
export interface Rule {
  readonly limit: number;
  readonly window: number;
}

export interface Decision<State> {
  readonly admitted: boolean;
  /** What the limiter knows after this decision; a refusal may change it too. */
  readonly state: State;
}

/** How full an allowance is: whole units left, never negative, and the instant at which all of it is back. */
export interface Level {
  readonly remaining: number;
  readonly resetAt: number;
}

/** Instants are milliseconds on one monotonic clock and never run backwards from call to call. */
export interface Limiter<State> {
  readonly fresh: State;
  /** Decides on a request that is known to cost `cost` units now; one of unknown cost (0) needs at least one unit left. */
  admit(state: State, now: number, cost: number): Decision<State>;
  /** Books units without asking: those whose number was not known at admission, or (negative) those reserved and not used. */
  charge(state: State, now: number, amount: number): State;
  level(state: State, now: number): Level;
}

interface Window {
  readonly begin: number;
  readonly used: number;
}

/**
 * A fixed window that begins with the first use after the last one ended: the gateway's own
 * algorithm. Up to twice the limit passes within one window's length, across its boundary.
 */
const fixedFromFirst = ({ limit, window }: Rule): Limiter<Window> => {
  const isOver = (state: Window, now: number): boolean => now >= state.begin + window;
  const at = (state: Window, now: number): Window =>
    isOver(state, now) ? { begin: now, used: 0 } : state;
  return {
    fresh: { begin: Number.NEGATIVE_INFINITY, used: 0 },
    admit: (state, now, cost) => {
      const { begin, used } = at(state, now);
      const admitted = used + Math.max(cost, 1) <= limit;
      return { admitted, state: admitted ? { begin, used: used + cost } : state };
    },
    charge: (state, now, amount) => {
      const { begin, used } = at(state, now);
      return { begin, used: Math.max(0, used + amount) };
    },
    level: (state, now) =>
      isOver(state, now)
        ? { remaining: limit, resetAt: now }
        : { remaining: Math.max(0, limit - state.used), resetAt: state.begin + window },
  };
};

/** A limiter that keeps its state. */
export interface Meter {
  /** Decides; nothing has changed until `commit` is called. */
  decide(now: number, cost: number): { readonly admitted: boolean; commit(): void };
  charge(now: number, amount: number): void;
  level(now: number): Level;
}

const metered = <State>(limiter: Limiter<State>): Meter => {
  let state = limiter.fresh;
  return {
    decide: (now, cost) => {
      const decision = limiter.admit(state, now, cost);
      return {
        admitted: decision.admitted,
        commit: () => {
          state = decision.state;
        },
      };
    },
    charge: (now, amount) => {
      state = limiter.charge(state, now, amount);
    },
    level: (now) => limiter.level(state, now),
  };
};

/** A new meter of each algorithm. */
export const limiters = {
  'fixed-from-first': (rule) => metered(fixedFromFirst(rule)),
} as const satisfies Record<LimiterKind, (rule: Rule) => Meter>;
