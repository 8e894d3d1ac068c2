import * as fc from 'fast-check';
import { instant } from '../../../model/quantity.ts';

/**
 * Generates logs of decisions for property tests. Gaps are often 0, so that requests overlap and windows begin exactly
 * at a decision.
 */
export const decisionLogs = fc
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
