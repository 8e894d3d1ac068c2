import fc from 'fast-check';
import { expect, it } from 'vitest';
import { instant } from '../model/quantity.ts';
import { type Ready, waitingLine } from './waiting-line.ts';

it('gives everybody back once, in order of due, whatever the order of arrival', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(1000), { maxLength: 50 }),
      fc.array(fc.nat(1000), { maxLength: 3000 }),
      (first, added) => {
        const readyAt = (due: number, user: number): Ready => ({ user, due: instant(due) });
        const line = waitingLine(first.map(readyAt));
        for (const [user, due] of added.entries()) line.add(readyAt(due, first.length + user));
        const taken: number[] = [];
        for (let next = line.take(instant(1000)); next !== null; next = line.take(instant(1000))) {
          taken.push(next.due);
        }
        expect(taken).toEqual([...first, ...added].sort((a, b) => a - b));
        expect(line.empty).toBe(true);
      },
    ),
    { numRuns: 30 },
  );
});

it('keeps whoever is not due yet', () => {
  const line = waitingLine([{ user: 1, due: instant(10) }]);
  expect(line.take(instant(9))).toBeNull();
  expect(line.take(instant(10))).toEqual({ user: 1, due: 10 });
});
