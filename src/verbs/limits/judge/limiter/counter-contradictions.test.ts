// @gate 1 s
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { instant } from '../../../../model/quantity.ts';
import { counterContradictions } from './counter-contradictions.ts';
import { decisionHistoriesOf } from '../../../../judge/limits/limiter/decision-history.ts';
import { decisionLogs } from '../../../../judge/limits/limiter/decision-logs.fixture.ts';
import { ContradictionCount } from '../../../../judge/limits/limiter/replay-class.ts';

const grids = fc.record({
  window: fc.oneof(fc.integer({ min: 5, max: 200 }), fc.double({ min: 5, max: 200, noNaN: true })),
  phase: fc.oneof(fc.integer({ min: -200, max: 200 }), fc.double({ min: 0, max: 99, noNaN: true })),
});

const largest = 25;

it('a count that is an integer but for rounding is one for a pass and for a replay', () => {
  // The window began 2e-14 ms before the first moment, so two admissions weigh a little less than two.
  const at = (sent: number, answered: number, admitted: boolean) => ({
    sent: instant(sent),
    answered: instant(answered),
    ended: instant(answered),
    admitted,
  });
  const log = [
    at(0, 0, true),
    at(39.99999999999107, 69.99999999997317, false),
    at(39.99999999999107, 41.99999999999107, false),
    at(47.99999999999107, 47.99999999999107, true),
  ];
  const grid = { window: 192, phase: -167 };
  for (const history of decisionHistoriesOf(log, [[], [log[0]!]])) {
    const found = counterContradictions(history)(grid, 4);
    const replayed = Array.from({ length: 5 }, (_, limit) =>
      new ContradictionCount('sliding-counter', history).fewest(
        [{ ...grid, limit, room: 'some', burst: limit, steps: 1, second: null }],
        Infinity,
      ),
    );
    expect([...found.some]).toStrictEqual(replayed);
  }
});

it('one pass finds the same contradictions as a replay with each limit', () => {
  fc.assert(
    fc.property(decisionLogs, grids, (log, grid) => {
      for (const history of decisionHistoriesOf(log, [[], [log[0]!]])) {
        const found = counterContradictions(history)(grid, largest);
        for (const room of ['some', 'whole'] as const) {
          const replayed = Array.from({ length: largest + 1 }, (_, limit) =>
            new ContradictionCount('sliding-counter', history).fewest(
              [{ ...grid, limit, room, burst: limit, steps: 1, second: null }],
              Infinity,
            ),
          );
          expect([...found[room]], room).toStrictEqual(replayed);
        }
      }
    }),
    { numRuns: 300 },
  );
});
