import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { realClock, TimerWheel } from './real-clock.ts';
import { once } from './mock-clock.ts';
import { manualMockClock } from './manual-mock-clock.fixture.ts';

/** A wheel on a manual clock, whose loop wakes it `late` milliseconds after the requested time. */
const wheelByHand = (late: number) => {
  const clock = manualMockClock(0);
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
  it('runs every entry once, never early, and no later than the loop wakes it', () => {
    const plan = fc.array(
      fc.record({
        /** When it is set, after the one before. */
        wait: fc.double({ min: 0, max: 900, noNaN: true }),
        delay: fc.double({ min: -5, max: 6000, noNaN: true }),
        /** A series of two instants. */
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
          let next = nested;
          let instant = Math.max(due, asked);
          return wheel.series(due, {
            run: () => {
              ran += 1;
              expect(clock.now()).toBeGreaterThanOrEqual(instant);
              expect(clock.now() - instant).toBeLessThanOrEqual(2 * late + grain);
              if (next === null) return null;
              const again = clock.now() + next;
              instant = Math.max(again, clock.now());
              next = null;
              return again;
            },
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

  it('runs entries that are added by entries', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -3, max: 3000, noNaN: true }), { minLength: 1, maxLength: 20 }),
        fc.constantFrom(0, 0.4, 7),
        (delays, late) => {
          const { clock, wheel } = wheelByHand(late);
          let ran = 0;
          const set = (left: readonly number[]): void => {
            const [delay, ...others] = left;
            if (delay === undefined) return;
            const due = Math.max(clock.now() + delay, clock.now());
            wheel.series(
              due,
              once(() => {
                ran += 1;
                expect(clock.now()).toBeGreaterThanOrEqual(due);
                expect(clock.now() - due).toBeLessThanOrEqual(2 * late + grain);
                set(others);
              }),
            );
          };
          set(delays);
          clock.advance(100_000);
          expect(ran).toBe(delays.length);
          expect(clock.waiting).toBe(0);
        },
      ),
    );
  });

  it('sets its timer, after a run, to the time left until the next due time', () => {
    const asked: number[] = [];
    let now = 1000;
    let wake = (): void => undefined;
    const wheel = new TimerWheel({
      now: () => now,
      after: (milliseconds, woken) => {
        asked.push(milliseconds);
        wake = woken;
        return () => undefined;
      },
    });
    // What is run takes three milliseconds.
    wheel.series(
      1010,
      once(() => {
        now += 3;
      }),
    );
    wheel.series(
      1020,
      once(() => undefined),
    );
    now = 1010;
    wake();
    expect(asked).toStrictEqual([10, 7]);
  });

  it('ends a series that is cancelled, by itself or in between, near or far', () => {
    const { clock, wheel } = wheelByHand(0);
    const endOf = (gap: number, calledOffAt: number): readonly number[] => {
      const ran: number[] = [];
      const begun = clock.now();
      const callOff = wheel.series(begun + gap, {
        run: () => {
          ran.push(Math.round(clock.now() - begun));
          if (ran.length === 3) callOff();
          return clock.now() + gap;
        },
      });
      clock.advance(calledOffAt);
      // Nothing waits for what called itself off.
      expect(clock.waiting).toBe(ran.length < 3 ? 1 : 0);
      callOff();
      clock.advance(30_000);
      return ran;
    };
    expect(endOf(20, 50)).toStrictEqual([20, 40]);
    expect(endOf(20, 500)).toStrictEqual([20, 40, 60]);
    expect(endOf(5000, 7000)).toStrictEqual([5000]);
    expect(endOf(5000, 17_000)).toStrictEqual([5000, 10_000, 15_000]);
    expect(clock.waiting).toBe(0);
  });
});

it('wakes at the due time or later, never before', async () => {
  const clock = realClock();
  const woken = [-1, 0, 0.2, 1.1, 1.9, 2.5].map(
    (delay) =>
      new Promise<number>((resolve) => {
        const due = clock.now() + delay;
        clock.at(due, () => resolve(clock.now() - due));
      }),
  );
  for (const lateness of await Promise.all(woken)) expect(lateness).toBeGreaterThanOrEqual(0);
});

it('does not run a cancelled call', async () => {
  const clock = realClock();
  const log: string[] = [];
  const cancel = clock.at(clock.now(), () => log.push('cancelled'));
  cancel();
  await new Promise<void>((resolve) => void clock.at(clock.now() + 2, resolve));
  expect(log).toEqual([]);
});

describe('the end of the turn', () => {
  const afterImmediate = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('runs its calls after everything else in the turn, in their order', async () => {
    const clock = realClock();
    const log: string[] = [];
    setImmediate(() => log.push('came with the turn'));
    for (const name of ['first', 'second']) clock.atEndOfTurn(() => log.push(name));
    await afterImmediate();
    expect(log).toEqual(['came with the turn', 'first', 'second']);
  });

  it('runs its calls before a nap', async () => {
    const clock = realClock();
    const log: string[] = [];
    const wait = vi.spyOn(Atomics, 'wait').mockImplementation(() => {
      log.push('nap');
      return 'timed-out';
    });
    onTestFinished(() => wait.mockRestore());
    const cancel = clock.at(clock.now() + 1.9, () => undefined);
    clock.atEndOfTurn(() => log.push('end of the turn'));
    await afterImmediate();
    cancel();
    expect(log[0]).toBe('end of the turn');
  });

  it.each([0.5, 4])('runs its calls right after a wake in %d ms', async (delay) => {
    const clock = realClock();
    const log: string[] = [];
    await new Promise<void>((resolve) => {
      clock.at(clock.now() + delay, () => {
        setImmediate(() => {
          log.push('the next turn');
          resolve();
        });
        clock.atEndOfTurn(() => log.push('written'));
      });
    });
    expect(log).toEqual(['written', 'the next turn']);
  });
});
