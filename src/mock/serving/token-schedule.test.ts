import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MockClock } from '../clock/mock-clock.ts';
import { manualMockClock } from '../clock/manual-mock-clock.fixture.ts';
import { scheduleTokens } from './token-schedule.ts';

/** A clock whose wake-ups come `lateness()` after they were due. */
const tardy = (clock: MockClock, lateness: () => number): MockClock => ({
  ...clock,
  series: (due, recurring) => {
    const late = (instant: number): number => Math.max(instant, clock.now()) + lateness();
    return clock.series(late(due), {
      run: () => {
        const again = recurring.run();
        return again === null ? null : late(again);
      },
    });
  },
});

describe('the token schedule', () => {
  it('emits each token when it is due', () => {
    const clock = manualMockClock(0);
    const log: (readonly [number, number, number])[] = [];
    scheduleTokens(
      clock,
      { first: 100, gap: 20, steps: 4 },
      { emit: (from, to) => log.push([clock.now(), from, to]) },
    );
    clock.advance(1000);
    expect(log).toEqual([
      [100, 0, 1],
      [120, 1, 2],
      [140, 2, 3],
      [160, 3, 4],
    ]);
  });

  it('catches up after a late wake instead of shifting the next tokens', () => {
    const clock = manualMockClock(0);
    const late = [0, 65, 0, 0, 0];
    const log: (readonly [number, number, number])[] = [];
    scheduleTokens(
      tardy(clock, () => late.shift() ?? 0),
      { first: 100, gap: 20, steps: 6 },
      { emit: (from, to) => log.push([clock.now(), from, to]) },
    );
    clock.advance(1000);
    expect(log).toEqual([
      [100, 0, 1],
      [185, 1, 5],
      [200, 5, 6],
    ]);
  });

  it('emits due tokens at once, without a timer', () => {
    const clock = manualMockClock(0);
    const log: (readonly [number, number])[] = [];
    scheduleTokens(
      clock,
      { first: 0, gap: 0, steps: 3 },
      { emit: (from, to) => log.push([from, to]) },
    );
    expect(log).toEqual([[0, 3]]);
    expect(clock.waiting).toBe(0);
  });

  it('leaves no timer behind when it is cancelled', () => {
    const clock = manualMockClock(0);
    const log: number[] = [];
    const cancel = scheduleTokens(
      clock,
      { first: 10, gap: 10, steps: 5 },
      { emit: (from) => log.push(from) },
    );
    clock.advance(25);
    cancel();
    expect(clock.waiting).toBe(0);
    clock.advance(1000);
    expect(log).toEqual([0, 1]);
  });

  it('emits every token once, in order, never early, and late only by its own wake', () => {
    const positive = fc.double({ min: 0, max: 50, noNaN: true });
    fc.assert(
      fc.property(
        fc.record({ first: positive, gap: positive, steps: fc.integer({ min: 1, max: 40 }) }),
        fc.array(fc.double({ min: 0, max: 30, noNaN: true }), { minLength: 1, maxLength: 10 }),
        (deadlines, latenesses) => {
          const clock = manualMockClock(0);
          let wake = 0;
          const late = tardy(clock, () => latenesses[(wake += 1) % latenesses.length] ?? 0);
          const worst = Math.max(...latenesses);
          let expected = 0;
          scheduleTokens(late, deadlines, {
            emit: (from, to) => {
              expect(from).toBe(expected);
              for (let step = from; step < to; step += 1) {
                const due = deadlines.first + step * deadlines.gap;
                expect(clock.now()).toBeGreaterThanOrEqual(due);
                expect(clock.now() - due).toBeLessThanOrEqual(worst + 1e-9);
              }
              expected = to;
            },
          });
          clock.advance(1e6);
          expect(expected).toBe(deadlines.steps);
        },
      ),
    );
  });
});
