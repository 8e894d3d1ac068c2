import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { instant } from '../../../model/quantity.ts';
import { counterContradictions } from './counter-contradictions.ts';
import { decisionHistoriesOf } from './decision-history.ts';
import { ContradictionCount } from './replay-class.ts';

/** Gaps that are often none, so that requests overlap and windows begin just when one is decided. */
const logs = fc
  .array(
    fc.record({
      gap: fc.oneof(fc.constant(0), fc.nat(20), fc.double({ min: 0, max: 40, noNaN: true })),
      took: fc.oneof(fc.nat(12), fc.double({ min: 0, max: 30, noNaN: true })),
      admitted: fc.boolean(),
    }),
    { minLength: 1, maxLength: 60 },
  )
  .map((rows) => {
    let sent = 0;
    return rows.map(({ gap, took, admitted }) => {
      sent += gap;
      return {
        sent: instant(sent),
        answered: instant(sent + took),
        ended: instant(sent + took),
        admitted,
      };
    });
  });

const grids = fc.record({
  window: fc.oneof(fc.integer({ min: 5, max: 200 }), fc.double({ min: 5, max: 200, noNaN: true })),
  phase: fc.oneof(fc.integer({ min: -200, max: 200 }), fc.double({ min: 0, max: 99, noNaN: true })),
});

const largest = 25;

it('one pass counts what a replay with each limit counts', () => {
  fc.assert(
    fc.property(logs, grids, (log, grid) => {
      for (const history of decisionHistoriesOf(log, [[], [log[0]!]])) {
        const found = counterContradictions(history, grid, largest);
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
