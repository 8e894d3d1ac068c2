import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limiterKinds } from '../model/mock-limits.ts';
import { limiters } from './limiter.ts';

const meter = (limit: number, window: number) => limiters['fixed-from-first']({ limit, window });

/** Decides and books the decision. */
const ask = (of: ReturnType<typeof meter>, now: number, cost = 1): boolean => {
  const decision = of.decide(now, cost);
  decision.commit();
  return decision.admitted;
};

describe('a fixed window from the first request', () => {
  it('admits up to the limit, refuses until the window ends, and begins the next with the next request', () => {
    const of = meter(2, 60);
    const table: readonly (readonly [
      now: number,
      admitted: boolean,
      left: number,
      reset: number,
    ])[] = [
      [1000, true, 1, 1060],
      [1030, true, 0, 1060],
      [1030, false, 0, 1060],
      [1059.999, false, 0, 1060],
      [1060, true, 1, 1120],
      [1119, true, 0, 1120],
      [1500, true, 1, 1560],
    ];
    for (const [now, admitted, remaining, resetAt] of table) {
      expect({ now, admitted: ask(of, now), ...of.level(now) }).toEqual({
        now,
        admitted,
        remaining,
        resetAt,
      });
    }
  });

  it('lets twice its limit through across a boundary', () => {
    const of = meter(3, 60);
    const late = [0, 59, 59, 60, 60, 60].map((now) => ask(of, now));
    expect(late).toEqual([true, true, true, true, true, true]);
    expect(ask(of, 60)).toBe(false);
  });

  it('is full and due at once before its first use and after its window', () => {
    const of = meter(5, 60);
    expect(of.level(7)).toEqual({ remaining: 5, resetAt: 7 });
    ask(of, 10);
    expect(of.level(70)).toEqual({ remaining: 5, resetAt: 70 });
  });

  it('refuses a known cost that does not fit and leaves what is there', () => {
    const of = meter(10, 60);
    expect([ask(of, 0, 7), ask(of, 0, 4), ask(of, 0, 3)]).toEqual([true, false, true]);
  });

  it('does not begin a window with a request that it refuses', () => {
    const of = meter(10, 60);
    expect(ask(of, 0, 11)).toBe(false);
    expect(of.level(5)).toEqual({ remaining: 10, resetAt: 5 });
  });

  it('admits an unknown cost while one unit is left, and takes the charge even past the limit', () => {
    const of = meter(100, 60);
    expect([ask(of, 0, 0), ask(of, 1, 0)]).toEqual([true, true]);
    of.charge(2, 99);
    expect(ask(of, 3, 0)).toBe(true);
    of.charge(4, 500);
    expect(of.level(5)).toEqual({ remaining: 0, resetAt: 60 });
    expect(ask(of, 59, 0)).toBe(false);
    expect(ask(of, 60, 0)).toBe(true);
    expect(of.level(60)).toEqual({ remaining: 100, resetAt: 120 });
  });

  it('begins a window with a charge that comes after the last one ended', () => {
    const of = meter(100, 60);
    ask(of, 0, 0);
    of.charge(70, 30);
    expect(of.level(71)).toEqual({ remaining: 70, resetAt: 130 });
  });

  it('gives back what was reserved and not used, but never more than the limit', () => {
    const of = meter(100, 60);
    ask(of, 0, 80);
    of.charge(1, -50);
    expect(of.level(1).remaining).toBe(70);
    of.charge(1, -500);
    expect(of.level(1).remaining).toBe(100);
  });

  it('agrees with a replay of the whole log that forgets nothing', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 25 }), { maxLength: 60 });
    fc.assert(
      fc.property(gaps, fc.integer({ min: 1, max: 6 }), (steps, limit) => {
        const window = 60;
        const of = meter(limit, window);
        const admitted: number[] = [];
        let now = 0;
        for (const step of steps) {
          now += step;
          // The windows so far, found anew from the first admission on.
          let begin = Number.NaN;
          for (const at of admitted) if (!(at < begin + window)) begin = at;
          const inside = now < begin + window ? admitted.filter((at) => at >= begin).length : 0;
          expect(ask(of, now)).toBe(inside < limit);
          if (inside < limit) admitted.push(now);
        }
      }),
    );
  });
});

describe.each(limiterKinds)('a %s limiter', (kind) => {
  it('changes nothing by a decision that is not committed', () => {
    const of = limiters[kind]({ limit: 3, window: 60 });
    const before = of.level(0);
    of.decide(0, 1);
    of.decide(0, 1);
    expect(of.level(0)).toEqual(before);
  });

  it('never tells a negative or a fractional remainder, nor a reset in the past', () => {
    const events = fc.array(
      fc.record({ step: fc.nat(40), cost: fc.nat(5), charge: fc.integer({ min: -5, max: 9 }) }),
    );
    fc.assert(
      fc.property(events, (steps) => {
        const of = limiters[kind]({ limit: 7, window: 60 });
        let now = 0;
        for (const { step, cost, charge } of steps) {
          now += step;
          of.decide(now, cost).commit();
          of.charge(now, charge);
          const { remaining, resetAt } = of.level(now);
          expect(Number.isInteger(remaining) && remaining >= 0 && remaining <= 7).toBe(true);
          expect(resetAt).toBeGreaterThanOrEqual(now);
        }
      }),
    );
  });
});
