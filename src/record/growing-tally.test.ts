import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wholeRun } from '../model/arrival.ts';
import { samplePlan } from '../model/sample-plan.ts';
import { growTally } from './growing-tally.ts';
import { anyObservations } from './recorder-suite.ts';
import { sampleFacts } from './sample-facts.ts';
import { emptyTally, record, toResult } from './tally.ts';

const facts = sampleFacts([wholeRun]);

describe('a growing tally', () => {
  it('comes to what a plain one does, wherever it is cut and however far its cuts are taken', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(anyObservations, fc.nat(30)), { maxLength: 4 }), (spells) => {
        const plain = emptyTally(samplePlan());
        const grown = growTally(samplePlan());
        for (const [observations, taken] of spells) {
          const cut = grown.cut();
          for (let i = 0; i < taken; i += 1) cut.next();
          for (const observation of observations) {
            record(plain, observation);
            grown.record(observation);
          }
        }
        expect(toResult(grown.whole(), facts)).toEqual(toResult(plain, facts));
      }),
      { numRuns: 10 },
    );
  });
});
