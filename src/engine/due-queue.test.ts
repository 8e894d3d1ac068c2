import fc from 'fast-check';
import { expect, it } from 'vitest';
import { instant } from '../model/quantity.ts';
import { DueQueue } from './due-queue.ts';

it('returns every item once, in order of due instants, for any order of additions', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(1000), { maxLength: 50 }),
      fc.array(fc.nat(1000), { maxLength: 3000 }),
      (first, added) => {
        const readyAt = (due: number, user: number) => ({ user, due: instant(due) });
        const line = new DueQueue(first.map(readyAt));
        for (const [user, due] of added.entries()) line.add(readyAt(due, first.length + user));
        expect(line.size).toBe(first.length + added.length);
        const taken: { user: number; due: number }[] = [];
        for (let next = line.take(instant(1000)); next !== null; next = line.take(instant(1000))) {
          taken.push(next);
        }
        expect(taken).toEqual(
          [...first, ...added]
            .map((due, user) => ({ user, due }))
            .sort((a, b) => a.due - b.due || a.user - b.user),
        );
        expect(line.size).toBe(0);
      },
    ),
    { numRuns: 30 },
  );
});

it('keeps an item that is not due yet', () => {
  const line = new DueQueue([{ user: 1, due: instant(10) }]);
  expect(line.take(instant(9))).toBeNull();
  expect(line.take(instant(10))).toEqual({ user: 1, due: 10 });
});
