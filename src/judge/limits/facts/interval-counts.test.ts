import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LimiterDecision } from '../../../model/limits/limit-log.ts';
import { instant } from '../../../model/quantity.ts';
import { admissions, chargedBefore, mostWithin } from './interval-counts.ts';

const decision = (sent: number, answered: number, admitted = true): LimiterDecision => ({
  sent: instant(sent),
  answered: instant(answered),
  ended: instant(answered),
  admitted,
});

/** Generates logs with whole-numbered times and lengths, so that every possible moment can be tried. */
const logs = fc.array(
  fc
    .record({ sent: fc.nat(12), delay: fc.nat(4), admitted: fc.boolean() })
    .map(({ sent, delay, admitted }) => decision(sent, sent + delay, admitted)),
  { maxLength: 5 },
);

/** Returns every combination of moments at which the decisions of a log can have been made. */
const everyOrder = (log: readonly LimiterDecision[]): readonly (readonly number[])[] => {
  const [first, ...rest] = log;
  if (first === undefined) return [[]];
  const moments = Array.from({ length: first.answered - first.sent + 1 }, (_, i) => first.sent + i);
  return everyOrder(rest).flatMap((tail) => moments.map((moment) => [moment, ...tail]));
};

describe('the bounds of the requests admitted within a window', () => {
  it('cover every possible order of the decisions', () => {
    fc.assert(
      fc.property(logs, fc.integer({ min: 1, max: 8 }), (log, window) => {
        const admitted = log.filter((one) => one.admitted);
        const { least, most } = mostWithin(admissions(log), window);
        const counts = everyOrder(admitted).map((moments) =>
          Math.max(
            0,
            ...moments.map(
              (from) => moments.filter((at) => at >= from && at <= from + window).length,
            ),
          ),
        );
        expect(Math.max(...counts)).toBe(most);
        expect(Math.min(...counts)).toBeGreaterThanOrEqual(least);
      }),
      { numRuns: 400 },
    );
  });

  it('prove a count above the limit only if the requests were certainly within the window', () => {
    const log = [decision(0, 10), decision(95, 100), decision(105, 112)];
    expect(mostWithin(admissions(log), 100)).toStrictEqual({ least: 2, most: 3 });
    expect(mostWithin(admissions(log), 90)).toStrictEqual({ least: 2, most: 2 });
  });

  it('cover every possible order before a request, too', () => {
    fc.assert(
      fc.property(
        logs,
        fc.integer({ min: 1, max: 8 }),
        fc.nat(12),
        fc.nat(4),
        (log, window, sent, delay) => {
          const refused = decision(sent, sent + delay, false);
          const admitted = log.filter((one) => one.admitted);
          const { least, most } = chargedBefore(admissions(log))(refused, window);
          for (const [at = 0, ...moments] of everyOrder([refused, ...admitted])) {
            const count = moments.filter((one) => one >= at - window && one <= at).length;
            expect(count).toBeGreaterThanOrEqual(least);
            expect(count).toBeLessThanOrEqual(most);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('equal the sums of the bounds of each request', () => {
    const charge = (from: number, until: number, least: number, most: number) => ({
      from,
      until,
      least,
      most,
    });
    const charges = [charge(0, 10, 40, 50), charge(20, 90, 0, 30), charge(95, 99, 7, 7)];
    expect(mostWithin(charges, 100)).toStrictEqual({ least: 47, most: 87 });
    const before = chargedBefore(charges);
    expect(before({ sent: 100, answered: 105 }, 100)).toStrictEqual({ least: 7, most: 87 });
    expect(before({ sent: 100, answered: 105 }, 110)).toStrictEqual({ least: 47, most: 87 });
    expect(before({ sent: 50, answered: 60 }, 100)).toStrictEqual({ least: 40, most: 80 });
  });

  it('count requests that began before the window and continued beyond it as possible, never as certain', () => {
    const charges = [{ from: 0, until: 500, least: 1, most: 1 }];
    expect(chargedBefore(charges)({ sent: 300, answered: 310 }, 100)).toStrictEqual({
      least: 0,
      most: 1,
    });
  });
});
