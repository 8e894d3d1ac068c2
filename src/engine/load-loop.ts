import type { Arrival } from '../model/workload/arrival.ts';
import { type Instant, instant, milliseconds } from '../model/quantity.ts';
import { DueQueue, type DueItem } from './due-queue.ts';
import { type Load, loadDuration, type SaturateLoad } from '../model/plan/plan.ts';
import { stageStream } from '../model/plan/population.ts';
import { openArrivals, traceArrivals } from '../schedule/open-arrivals.ts';
import { withSecondArrivals } from '../schedule/second-arrivals.ts';
import { stageStarts } from '../schedule/stages.ts';
import { iterationIndex, iterationsOf, usersOf } from '../schedule/users.ts';
import type { SliceOptions } from './slice-options.ts';

export interface LoadLoop {
  /** Begins the arrivals that are due at `now`, while `mayBegin` returns true. */
  poll(now: Instant, mayBegin: () => boolean): void;
  /** Returns when the next arrival is due; `null` if no arrival is left, or if an answer must come first. */
  nextDue(): Instant | null;
  stop(): void;
  /** Returns whether no arrival comes after `now`. */
  exhausted(now: Instant): boolean;
}

/** Returns the earlier of two instants. `null` means no instant. */
export const earlierOf = (a: Instant | null, b: Instant | null): Instant | null => {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
};

/** Begins a request. `onAnswered` is called when the user has received the answer. */
export type BeginRequest = (arrival: Arrival, onAnswered?: (ended: Instant) => void) => void;

/**
 * Begins arrivals on schedule until the end of the stage. If an arrival is noticed late, it begins at once and keeps
 * its due instant.
 */
const openLoop = (arrivals: Iterator<Arrival>, until: Instant, begin: BeginRequest): LoadLoop => {
  let next = arrivals.next();
  let stopsAt: number = until;
  return {
    poll: (now, mayBegin) => {
      while (next.done !== true && next.value.due <= now && mayBegin()) {
        const arrival = next.value;
        next = arrivals.next();
        begin(arrival);
      }
    },
    stop: () => {
      next = { done: true, value: undefined };
      stopsAt = Number.NEGATIVE_INFINITY;
    },
    nextDue: () => (next.done === true ? null : next.value.due),
    exhausted: (now) => next.done === true && now >= stopsAt,
  };
};

interface ClosedLoopUsers {
  readonly stage: number;
  /** The users in the order in which they begin. `startsAt` is the instant of the user's first request. */
  readonly users: Iterable<{ readonly user: number; readonly startsAt: Instant }>;
  /** Returns the index of the user's next request; `null` if no request is left. */
  readonly nextIndex: (user: number) => number | null;
  /** The time from an answer to the same user's next request, in ms. */
  readonly thinkTime: number;
  /** The end of the load: no request is due at this instant or later. */
  readonly until: Instant;
}

/** A user, and the instant at which the user sends the next request. */
interface ReadyUser extends DueItem {
  readonly user: number;
}

/**
 * Creates a loop in which each user sends a request, waits for the answer, thinks, and repeats. A request is due when
 * its user is ready.
 */
const closedLoop = (
  { stage, users, nextIndex, thinkTime, until }: ClosedLoopUsers,
  begin: BeginRequest,
): LoadLoop => {
  const ready = new DueQueue<ReadyUser>(
    [...users].map(({ user, startsAt }) => ({ user, due: startsAt })),
  );
  let inFlight = 0;
  let stopsAt: number = until;
  let isExhausted = false;

  const beginNext = ({ user, due }: ReadyUser): void => {
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
    poll: (now, mayBegin) => {
      while (mayBegin()) {
        const next = ready.take(now);
        if (next === null) return;
        beginNext(next);
      }
    },
    nextDue: () => ready.first()?.due ?? null,
    stop: () => {
      stopsAt = Number.NEGATIVE_INFINITY;
      ready.clear();
    },
    exhausted: (now) => now >= stopsAt || (isExhausted && ready.size === 0 && inFlight === 0),
  };
};

/**
 * The functions that begin requests. The cap on requests in flight limits only scheduled requests, because the number
 * of users already limits the requests of users.
 */
interface BeginHandlers {
  readonly scheduled: BeginRequest;
  readonly byUser: BeginRequest;
}

/**
 * Creates a function that returns the index of a user's next request. The index of the user's n-th request is n ×
 * number of users + user.
 */
const indexPerUser = (users: number): ((user: number) => number) => {
  const iterations = new Map<number, number>();
  return (user) => {
    const iteration = iterations.get(user) ?? 0;
    iterations.set(user, iteration + 1);
    return iterationIndex(user, iteration, users);
  };
};

/** Creates a function that returns the next free index of the stage for any user; `null` if no index is left. */
const sharedIndex = (indices: Iterator<number, void>) => (): number | null =>
  indices.next().value ?? null;

/** Describes a saturating load as users who never think, for forecasts. `saturate.ts` sends the real load. */
const asClosedLoad = (load: Load): Exclude<Load, SaturateLoad> =>
  load.kind === 'saturate'
    ? {
        kind: 'closed',
        users: load.connections,
        duration: load.duration,
        thinkTime: milliseconds(0),
        rampUp: milliseconds(0),
      }
    : load;

type LoopOptions = Pick<SliceOptions, 'plan' | 'slice' | 'workload' | 'second'>;

const createLoop = (
  { plan, slice, workload, second }: LoopOptions,
  stage: number,
  start: Instant,
  begin: BeginHandlers,
): LoadLoop => {
  const load = asClosedLoad(plan.stages[stage]!.load);
  const until = instant(start + loadDuration(load));
  const placement = { stage, stream: stageStream(plan, stage), start, seed: plan.seed, slice };
  if (load.kind === 'open' || load.kind === 'trace') {
    const arrivals =
      load.kind === 'open'
        ? openArrivals(load, placement)
        : traceArrivals(workload.traceOf(load), placement);
    const due =
      second === undefined ? arrivals : withSecondArrivals(arrivals, second.gap, second.isSecond);
    return openLoop(due, until, begin.scheduled);
  }
  return closedLoop(
    {
      stage,
      users: usersOf(load, start, slice),
      nextIndex:
        load.kind === 'closed' ? indexPerUser(load.users) : sharedIndex(iterationsOf(load, slice)),
      thinkTime: load.thinkTime,
      until,
    },
    begin.byUser,
  );
};

/**
 * Returns the loop with the earliest due arrival, and the instant `until` before which no other loop has a due arrival.
 * `until` is at most `now`. Returns `null` if no arrival is due.
 */
const firstDueOf = (loops: readonly LoadLoop[], now: Instant) => {
  let first: LoadLoop | null = null;
  let due = Number.POSITIVE_INFINITY;
  let until: number = now;
  for (const loop of loops) {
    const at = loop.nextDue() ?? Number.POSITIVE_INFINITY;
    if (at >= due) until = Math.min(until, at);
    else {
      until = Math.min(now, due);
      first = loop;
      due = at;
    }
  }
  return first === null || due > now ? null : { loop: first, until: instant(until) };
};

/**
 * Begins the due arrivals of several loops in the order of their due instants, so that no population is preferred if
 * requests must wait for the next turn.
 */
export const pollInOrder = (
  loops: readonly LoadLoop[],
  now: Instant,
  mayBegin: () => boolean,
): void => {
  let isHeld = false;
  const mayGoOn = (): boolean => {
    isHeld = !mayBegin();
    return !isHeld;
  };
  let next = firstDueOf(loops, now);
  while (next !== null) {
    next.loop.poll(next.until, mayGoOn);
    next = isHeld ? null : firstDueOf(loops, now);
  }
};

export const createLoops = (options: LoopOptions, begin: BeginHandlers): readonly LoadLoop[] =>
  stageStarts(options.plan).map((start, stage) => createLoop(options, stage, start, begin));
