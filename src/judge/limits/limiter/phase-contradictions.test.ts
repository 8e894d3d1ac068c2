import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { instant, milliseconds } from '../../../model/quantity.ts';
import { decisionHistoriesOf } from './decision-history.ts';
import { decisionLogs } from './decision-logs.fixture.ts';
import { PhaseContradictions } from './limiter-models.ts';
import { ContradictionCount } from './replay-class.ts';

/**
 * Rounds a moment to 1/64 ms, which is exact in binary: otherwise a rounding error decides about a moment at the edge
 * of a window.
 */
const rounded = (moment: number) => instant(Math.round(moment * 64) / 64);
const logs = decisionLogs.map((log) =>
  log.map(({ sent, answered, ended, admitted }) => ({
    sent: rounded(sent),
    answered: rounded(answered),
    ended: rounded(ended),
    admitted,
  })),
);

const rules = fc.record({
  limit: fc.integer({ min: 1, max: 9 }),
  window: fc.integer({ min: 5, max: 200 }),
});
const phaseLists = fc.array(
  fc.oneof(
    fc.integer({ min: -200, max: 200 }),
    fc.double({ min: 0, max: 99, noNaN: true }).map(rounded),
  ),
  { maxLength: 6 },
);

it('one pass finds the same fewest contradictions as a replay with each phase', () => {
  fc.assert(
    fc.property(logs, rules, phaseLists, (log, { limit, window }, phases) => {
      const rule = { limit, window: milliseconds(window) };
      for (const history of decisionHistoriesOf(log, [[], [log[0]!]])) {
        const counted = new PhaseContradictions(history);
        const replayed = phases.map((phase) =>
          new ContradictionCount('fixed-aligned', history).fewest(
            [{ ...rule, phase, burst: limit, steps: 1, second: null, room: 'some' }],
            Infinity,
          ),
        );
        const windows = phases.map((phase) => ({ ...rule, phase }));
        expect(windows.map((each) => counted.fewest([each]))).toStrictEqual(replayed);
        expect(counted.fewest(windows)).toBe(Math.min(...replayed));
      }
    }),
    { numRuns: 300 },
  );
});
