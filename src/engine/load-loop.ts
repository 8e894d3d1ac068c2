import type { Arrival } from '../model/workload/arrival.ts';
import { type Instant, instant } from '../model/quantity.ts';
import { dueQueue, type DueItem } from './due-queue.ts';

/** One stage's load in motion: it begins what is due when it is polled. */
export interface LoadLoop {
  /** Begins every arrival that is due at `now`. */
  poll(now: Instant): void;
  /** No new arrivals from here on. */
  stop(): void;
  /** Whether no arrival will come any more, from `now` on. */
  exhausted(now: Instant): boolean;
}

/** Begins a request; `returned` is called with the moment its user has the answer. */
export type BeginRequest = (arrival: Arrival, onAnswered?: (ended: Instant) => void) => void;

/** Arrivals come when the schedule says so, up to the stage's end. A late one is begun at once and is late. */
export const openLoop = (
  arrivals: Iterator<Arrival>,
  until: Instant,
  begin: BeginRequest,
): LoadLoop => {
  let next = arrivals.next();
  let stopsAt: number = until;
  return {
    poll: (now) => {
      while (next.done !== true && next.value.due <= now) {
        const arrival = next.value;
        next = arrivals.next();
        begin(arrival);
      }
    },
    stop: () => {
      next = { done: true, value: undefined };
      stopsAt = Number.NEGATIVE_INFINITY;
    },
    exhausted: (now) => next.done === true && now >= stopsAt,
  };
};

/** The users of a closed load and what they may ask. */
export interface ClosedLoopUsers {
  readonly stage: number;
  /** Each user with the moment of its first request, in order of these moments. */
  readonly users: Iterable<{ readonly user: number; readonly startsAt: Instant }>;
  /** The index of the user's next request; `null` when nothing is left to ask. */
  readonly nextIndex: (user: number) => number | null;
  readonly thinkTime: number;
  /** From this moment on nobody asks again. */
  readonly until: Instant;
}

/** A user and the moment from which it is ready to ask. */
interface ReadyUser extends DueItem {
  readonly user: number;
}

/** ClosedLoopUsers ask, wait for their answer, think, and ask again. A request is due when its user is ready. */
export const closedLoop = (
  { stage, users, nextIndex, thinkTime, until }: ClosedLoopUsers,
  begin: BeginRequest,
): LoadLoop => {
  const ready = dueQueue<ReadyUser>(
    [...users].map(({ user, startsAt }) => ({ user, due: startsAt })),
  );
  let inFlight = 0;
  let stopsAt: number = until;
  let isExhausted = false;

  const beginNext = ({ user, due }: ReadyUser): void => {
    if (due >= stopsAt) return;
    const index = nextIndex(user);
    if (index === null) {
      isExhausted = true;
      return;
    }
    inFlight += 1;
    begin({ stage, index, due }, (ended) => {
      inFlight -= 1;
      const again = instant(ended + thinkTime);
      if (again < stopsAt) ready.add({ user, due: again });
    });
  };

  return {
    poll: (now) => {
      for (let next = ready.take(now); next !== null; next = ready.take(now)) beginNext(next);
    },
    stop: () => {
      stopsAt = Number.NEGATIVE_INFINITY;
      ready.clear();
    },
    exhausted: (now) => now >= stopsAt || (isExhausted && ready.size === 0 && inFlight === 0),
  };
};
