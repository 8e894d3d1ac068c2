import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Slice, wholeRunSlice } from '../model/workload/arrival.ts';
import type { ClosedLoad, IterationsLoad } from '../model/plan/plan.ts';
import { instant, milliseconds } from '../model/quantity.ts';
import { iterationIndex, iterationsOf, usersOf } from './users.ts';

const closed = (users: number, rampUp: number, duration = 10_000): ClosedLoad => ({
  kind: 'closed',
  users,
  duration: milliseconds(duration),
  thinkTime: milliseconds(0),
  rampUp: milliseconds(rampUp),
});
const shared = (users: number, iterations: number): IterationsLoad => ({
  kind: 'iterations',
  users,
  iterations,
  maxDuration: milliseconds(60_000),
  thinkTime: milliseconds(0),
});
const slicesOf = (count: number): readonly Slice[] =>
  Array.from({ length: count }, (_, index) => ({ index, count }));
const sizes = fc.integer({ min: 1, max: 40 });

describe('users', () => {
  it('begin one after another over the ramp-up, the first with the stage', () => {
    expect(usersOf(closed(4, 2000), instant(1000), wholeRunSlice)).toEqual([
      { user: 0, startsAt: 1000 },
      { user: 1, startsAt: 1500 },
      { user: 2, startsAt: 2000 },
      { user: 3, startsAt: 2500 },
    ]);
  });

  it('that would begin after the stage has ended do not take part', () => {
    expect(
      usersOf(closed(4, 2000, 1000), instant(0), wholeRunSlice).map(({ user }) => user),
    ).toEqual([0, 1]);
  });

  it('of shared iterations all begin with the stage', () => {
    expect(
      usersOf(shared(3, 9), instant(500), wholeRunSlice).map(({ startsAt }) => startsAt),
    ).toEqual([500, 500, 500]);
  });

  it('are distributed over the slices: disjoint, in order, together the whole', () => {
    fc.assert(
      fc.property(sizes, sizes, fc.nat(5000), (users, count, rampUp) => {
        const load = closed(users, rampUp);
        const parts = slicesOf(count).flatMap((slice) => usersOf(load, instant(0), slice));
        expect(parts.toSorted((a, b) => a.user - b.user)).toEqual(
          usersOf(load, instant(0), wholeRunSlice),
        );
      }),
    );
  });

  it('number their requests without gaps and duplicates', () => {
    const indices = [0, 1, 2].flatMap((user) =>
      [0, 1, 2, 3].map((iteration) => iterationIndex(user, iteration, 3)),
    );
    expect(indices.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });
});

describe('shared iterations', () => {
  it('belong to exactly one slice each, and only to slices that have users', () => {
    fc.assert(
      fc.property(sizes, sizes, sizes, (users, iterations, count) => {
        const load = shared(users, iterations);
        const parts = slicesOf(count).map((slice) => {
          const owned = [...iterationsOf(load, slice)];
          const idle = usersOf(load, instant(0), slice).length === 0;
          expect(idle && owned.length > 0).toBe(false);
          expect(owned).toEqual(owned.toSorted((a, b) => a - b));
          return owned;
        });
        expect(parts.flat().toSorted((a, b) => a - b)).toEqual(
          Array.from({ length: iterations }, (_, index) => index),
        );
      }),
    );
  });
});
