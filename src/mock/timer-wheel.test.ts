import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { handClock } from './hand-clock.ts';
import { TimerWheel } from './timer-wheel.ts';

/** A wheel on a clock moved by hand, whose loop wakes it `late` milliseconds after it asked. */
const wheelByHand = (late: number) => {
  const clock = handClock(0);
  clock.advance(1000.25);
  const wheel = new TimerWheel({
    now: clock.now,
    after: (milliseconds, wake) => clock.at(clock.now() + milliseconds + late, wake),
  });
  return { clock, wheel };
};

/** A loop's timer counts whole milliseconds. */
const grain = 1;

describe('a timer wheel', () => {
  it('runs every deadline once, never early, and no later than the loop wakes it', () => {
    const plan = fc.array(
      fc.record({
        /** When it is set, after the one before. */
        wait: fc.double({ min: 0, max: 900, noNaN: true }),
        delay: fc.double({ min: -5, max: 6000, noNaN: true }),
        /** A deadline that sets another one when it has come. */
        nested: fc.option(fc.double({ min: -3, max: 3000, noNaN: true })),
        isCalledOff: fc.boolean(),
      }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(plan, fc.constantFrom(0, 0.4, 7), (steps, late) => {
        const { clock, wheel } = wheelByHand(late);
        let expected = 0;
        let ran = 0;
        const set = (delay: number, nested: number | null): (() => void) => {
          const due = clock.now() + delay;
          const asked = clock.now();
          return wheel.at(due, () => {
            ran += 1;
            const lateness = clock.now() - Math.max(due, asked);
            expect(clock.now()).toBeGreaterThanOrEqual(due);
            expect(lateness).toBeLessThanOrEqual(2 * late + grain);
            if (nested !== null) set(nested, null);
          });
        };
        for (const { wait, delay, nested, isCalledOff } of steps) {
          clock.advance(wait);
          const callOff = set(delay, nested);
          if (isCalledOff) callOff();
          else expected += nested === null ? 1 : 2;
        }
        clock.advance(20_000);
        expect(ran).toBe(expected);
        expect(clock.waiting).toBe(0);
      }),
      { numRuns: 300 },
    );
  });
});
