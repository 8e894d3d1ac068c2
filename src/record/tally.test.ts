import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wholeRunSlice } from '../model/workload/arrival.ts';
import type { Observation } from '../model/observation/observation.ts';
import { instant } from '../model/quantity.ts';
import { resultSchema } from '../model/result/result.ts';
import { samplePlan } from '../model/plan/sample-plan.fixture.ts';
import { anyObservations } from './recorder-suite.fixture.ts';
import { sampleFacts, sampleSliceRun } from './sample-facts.fixture.ts';
import { sampleObservation } from './sample-observations.fixture.ts';
import {
  addPart,
  emptyTally,
  fromResult,
  mergeTallies,
  recordObservation,
  type Tally,
  toResult,
} from './tally.ts';

const facts = sampleFacts([wholeRunSlice]);
const tallyOf = (observations: readonly Observation[]): Tally => {
  const tally = emptyTally(samplePlan());
  for (const observation of observations) recordObservation(tally, observation);
  return tally;
};

describe('a tally', () => {
  it('becomes a result that fits its schema and survives JSON', () => {
    fc.assert(
      fc.property(anyObservations, (observations) => {
        const result = toResult(tallyOf(observations), facts);
        expect(resultSchema.parse(JSON.parse(JSON.stringify(result)))).toEqual(result);
      }),
      { numRuns: 10 },
    );
  });

  it('has what the server reported, and why an objective ended the run, only if they did', () => {
    const server = { every: 1000, samples: [], scrapes: 0, failed: 0, lastFailure: null } as never;
    const breach = { text: 'errorRate < 1%', at: 5000, observed: 3 } as never;
    const complete = toResult(tallyOf([]), { ...facts, server, breach });
    expect([complete.server, complete.breach]).toEqual([server, breach]);
    const silent = toResult(tallyOf([]), facts);
    expect(['server', 'breach', 'warmUp'].filter((name) => name in silent)).toEqual([]);
  });

  it('restored from a result gives that result again', () => {
    fc.assert(
      fc.property(anyObservations, (observations) => {
        const result = toResult(tallyOf(observations), facts);
        expect(toResult(fromResult(result), facts)).toEqual(result);
      }),
      { numRuns: 10 },
    );
  });

  it('keeps its end when stored parts are added, since these have none', () => {
    const tally = tallyOf([]);
    addPart(tally, { groups: toResult(tallyOf([sampleObservation()]), facts).groups });
    expect(toResult(tally, facts)).toMatchObject({ ended: 0, groups: [{}] });
  });

  it('merged from parts equals the tally of the whole', () => {
    fc.assert(
      fc.property(anyObservations, anyObservations, (a, b) => {
        const merged = mergeTallies(tallyOf(a), tallyOf(b));
        expect(toResult(merged, facts)).toEqual(toResult(tallyOf([...a, ...b]), facts));
      }),
      { numRuns: 10 },
    );
  });

  it('ends with its last exchange, not with a dropped arrival', () => {
    const dropped = {
      ended: instant(9000),
      outcome: { kind: 'dropped', cause: 'saturated' },
    } as const;
    const tally = tallyOf([sampleObservation(), sampleObservation(dropped)]);
    expect(toResult(tally, facts).ended).toBe(5200);
    expect(toResult(tallyOf([]), facts).ended).toBe(0);
  });

  it('is written with its slices in order and the earliest of their starts', () => {
    const late = {
      ...sampleSliceRun({ index: 0, count: 2 }),
      startedAt: '2026-07-01T10:20:31.000Z',
    };
    const early = sampleSliceRun({ index: 1, count: 2 });
    const result = toResult(tallyOf([]), sampleFacts([], { slices: [early, late] }));
    expect(result.slices).toEqual([late, early]);
    expect(result.startedAt).toBe(early.startedAt);
  });
});
