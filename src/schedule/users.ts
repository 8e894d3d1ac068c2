import { owns, type Slice } from '../model/workload/arrival.ts';
import type { ClosedLoad, IterationsLoad } from '../model/plan/plan.ts';
import { type Instant, instant } from '../model/quantity.ts';

/** A closed-loop caller, and the moment of its first request. */
export interface User {
  readonly user: number;
  readonly startsAt: Instant;
}

/**
 * Returns the users that one slice owns, in the order in which they begin. Of U users, user u begins u / U of the
 * ramp-up after the start of the stage: with 4 users and a ramp-up of 8 s they begin at 0, 2, 4 and 6 s. Users who
 * would begin after the end of the stage are omitted.
 */
export const usersOf = (
  load: ClosedLoad | IterationsLoad,
  start: Instant,
  slice: Slice,
): readonly User[] => {
  const rampUp = load.kind === 'closed' ? load.rampUp : 0;
  const duration = load.kind === 'closed' ? load.duration : load.maxDuration;
  return Array.from({ length: load.users }, (_, user) => ({
    user,
    startsAt: instant(start + (rampUp * user) / load.users),
  })).filter(({ user, startsAt }) => owns(slice, user) && startsAt < start + duration);
};

/** Returns the index within the stage of a user's n-th request (n from 0). It is unique over all users and slices. */
export const iterationIndex = (user: number, iteration: number, users: number): number =>
  iteration * users + user;

/**
 * Generates the request indices of a shared number of iterations that one slice's users may claim, in order. The slices
 * that have users take turns; if there are more slices than users, the rest have none.
 */
export function* iterationsOf(load: IterationsLoad, slice: Slice): Generator<number, void> {
  const stride = Math.min(slice.count, load.users);
  if (slice.index >= stride) return;
  for (let index = slice.index; index < load.iterations; index += stride) yield index;
}
