import type { Arrival } from '../model/arrival.ts';
import { type Instant, instant } from '../model/quantity.ts';
import { waitingLine, type Waiting } from './waiting-line.ts';

/** One stage's load in motion: it begins what is due when it is polled. */
export interface Loop {
  /** Begins every arrival that is due at `now`. */
  poll(now: Instant): void;
  /** No new arrivals from here on. */
  stop(): void;
  /** Whether no arrival will come any more, from `now` on. */
  exhausted(now: Instant): boolean;
}

/** Begins a request; `returned` is called with the moment its user has the answer. */
export type Begin = (arrival: Arrival, returned?: (ended: Instant) => void) => void;

/** Arrivals come when the schedule says so, up to the stage's end. A late one is begun at once and is late. */
export const openLoop = (arrivals: Iterator<Arrival>, until: Instant, begin: Begin): Loop => {
  let next = arrivals.next();
  let closing: number = until;
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
      closing = Number.NEGATIVE_INFINITY;
    },
    exhausted: (now) => next.done === true && now >= closing,
  };
};

/** The users of a closed load and what they may ask. */
export interface Users {
  readonly stage: number;
  /** Each user with the moment of its first request, in order of these moments. */
  readonly users: Iterable<{ readonly user: number; readonly begins: Instant }>;
  /** The index of the user's next request; `null` when nothing is left to ask. */
  readonly claim: (user: number) => number | null;
  readonly thinkTime: number;
  /** From this moment on nobody asks again. */
  readonly until: Instant;
}

/** A user and the moment from which it is ready to ask. */
interface Ready extends Waiting {
  readonly user: number;
}

/** Users ask, wait for their answer, think, and ask again. A request is due when its user is ready. */
export const closedLoop = (
  { stage, users, claim, thinkTime, until }: Users,
  begin: Begin,
): Loop => {
  const ready = waitingLine<Ready>([...users].map(({ user, begins }) => ({ user, due: begins })));
  let away = 0;
  let closing: number = until;
  let nothingLeft = false;

  const ask = ({ user, due }: Ready): void => {
    if (due >= closing) return;
    const index = claim(user);
    if (index === null) {
      nothingLeft = true;
      return;
    }
    away += 1;
    begin({ stage, index, due }, (ended) => {
      away -= 1;
      const again = instant(ended + thinkTime);
      if (again < closing) ready.add({ user, due: again });
    });
  };

  return {
    poll: (now) => {
      for (let next = ready.take(now); next !== null; next = ready.take(now)) ask(next);
    },
    stop: () => {
      closing = Number.NEGATIVE_INFINITY;
      ready.clear();
    },
    exhausted: (now) => now >= closing || (nothingLeft && ready.size === 0 && away === 0),
  };
};
