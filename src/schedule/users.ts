import { owns, type Slice } from '../model/workload/arrival.ts';
import type { ClosedLoad, IterationsLoad } from '../model/plan/plan.ts';
import { type Instant, instant } from '../model/quantity.ts';

export interface User {
  readonly user: number;
  readonly startsAt: Instant;
}

/**
 * Returns the users that one slice owns, in order. Users who would begin after the end of the stage are left out. The
 * users of all slices begin evenly over the ramp-up. Example: 4 users and 8 s give 0, 2, 4 and 6 s.
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

/** Returns the index of a user's n-th request (n from 0). The index is unique in the stage. */
export const iterationIndex = (user: number, iteration: number, users: number): number =>
  iteration * users + user;

/**
 * Generates the indexes of the iterations that the users of one slice may take, in order. The slices with users take
 * the indexes in turn: of two such slices, one takes 0, 2, 4 …, and the other takes 1, 3, 5 …
 */
export function* iterationsOf(load: IterationsLoad, slice: Slice): Generator<number, void> {
  const stride = Math.min(slice.count, load.users);
  if (slice.index >= stride) return;
  for (let index = slice.index; index < load.iterations; index += stride) yield index;
}
