import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wholeRunSlice } from '../model/workload/arrival.ts';
import { samplePlan } from '../model/plan/sample-plan.fixture.ts';
import { createIncrementalTally } from './incremental-tally.ts';
import { anyObservations } from './recorder-suite.fixture.ts';
import { sampleFacts } from './sample-facts.fixture.ts';
import { emptyTally, recordObservation, toResult } from './tally.ts';

const facts = sampleFacts([wholeRunSlice]);

describe('an incremental tally', () => {
  it('equals a plain tally, wherever it is flushed and however far each flush is taken', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(anyObservations, fc.nat(30)), { maxLength: 4 }), (flushes) => {
        const plain = emptyTally(samplePlan());
        const grown = createIncrementalTally(samplePlan());
        for (const [observations, taken] of flushes) {
          const cut = grown.flush();
          for (let i = 0; i < taken; i += 1) cut.next();
          for (const observation of observations) {
            recordObservation(plain, observation);
            grown.record(observation);
          }
        }
        expect(toResult(grown.whole(), facts)).toEqual(toResult(plain, facts));
      }),
      { numRuns: 10 },
    );
  });
});
