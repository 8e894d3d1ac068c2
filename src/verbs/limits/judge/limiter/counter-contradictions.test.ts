import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { counterContradictions } from './counter-contradictions.ts';
import { decisionHistoriesOf } from '../../../../judge/limits/limiter/decision-history.ts';
import { decisionLogs } from '../../../../judge/limits/limiter/decision-logs.fixture.ts';
import { ContradictionCount } from '../../../../judge/limits/limiter/replay-class.ts';

const grids = fc.record({
  window: fc.oneof(fc.integer({ min: 5, max: 200 }), fc.double({ min: 5, max: 200, noNaN: true })),
  phase: fc.oneof(fc.integer({ min: -200, max: 200 }), fc.double({ min: 0, max: 99, noNaN: true })),
});

const largest = 25;

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
