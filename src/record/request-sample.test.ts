// @long 1 s
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Observation } from '../model/observation/observation.ts';
import { instant } from '../model/quantity.ts';
import { hashOf } from '../model/workload/draw.ts';
import { samplePlan } from '../model/plan/sample-plan.fixture.ts';
import { createIncrementalTally } from './incremental-tally.ts';
import { requestSampleRecorder } from './request-sample.ts';
import { anyObservations } from './recorder-suite.fixture.ts';
import { sampleObservation, sampleStream } from './sample-observations.fixture.ts';
import { emptyTally, recordObservation } from './tally.ts';

const requests = (count: number, differing: Partial<Observation> = {}): Observation[] =>
  Array.from({ length: count }, (_, index) =>
    sampleObservation({
      index,
      due: instant(index * 10),
      ended: instant(index * 10 + 200.0004),
      ...differing,
    }),
  );
const limited: Observation['outcome'] = {
  kind: 'limited',
  refusal: { status: 429, form: 'error', type: null, code: null, message: '' },
  unit: null,
  retryAfter: null,
  resetIn: null,
};
const sampleOf = (observations: readonly Observation[], seed = 1) => {
  const recorder = requestSampleRecorder({ seed });
  const state = recorder.restore([]);
  for (const observation of observations) recorder.record(state, observation);
  return recorder.store(state);
};
const indicesOf = (observations: readonly Observation[], seed?: number): readonly number[] =>
  sampleOf(observations, seed).flatMap(({ rows }) => rows.map(([, index]) => index));

describe('the sample of requests', () => {
  it('has all of a short run, to the microsecond', () => {
    const [completed] = sampleOf(requests(3));
    expect(completed).toMatchObject({ traffic: 'chat', outcome: 'completed', count: 3 });
    expect(completed!.rows.toSorted((a, b) => a[1] - b[1])).toEqual([
      [0, 0, 0, 200, null, null],
      [0, 1, 10, 200, null, null],
      [0, 2, 20, 200, null, null],
    ]);
    const between = sampleObservation({ due: instant(0.0006), ended: instant(7.0013) });
    expect(sampleOf([between])[0]!.rows[0]!.slice(2, 4)).toEqual([0.001, 7.001]);
  });

  it('has 2,000 of many completed and 1,000 of many failed requests, and counts all', () => {
    const failed = requests(1500, { outcome: limited, stage: 1 });
    const sample = sampleOf([...requests(5000), ...failed]);
    expect(sample.map(({ outcome, count, rows }) => [outcome, count, rows.length])).toEqual([
      ['completed', 5000, 2000],
      ['limited', 1500, 1000],
    ]);
  });

  it('gives each request the same chance, whatever its place or seed', () => {
    const total = 20_000;
    const tenths = Array.from({ length: 10 }, () => 0);
    for (let seed = 0; seed < 5; seed += 1)
      for (const index of indicesOf(requests(total), seed))
        tenths[Math.floor((index / total) * 10)]! += 1;
    // The expected counts are 1,000 ± 27 by the hypergeometric distribution. Four standard deviations are allowed.
    for (const count of tenths) expect(Math.abs(count - 1000)).toBeLessThan(4 * 28.5);
  });

  it('differs with the seed, and is the same in any order', () => {
    const list = requests(4000);
    expect(indicesOf(list, 2)).not.toEqual(indicesOf(list, 1));
    expect(indicesOf(list.toReversed(), 1)).toEqual(indicesOf(list, 1));
  });

  it('has the time to first token and the input tokens of streams, and no time of what was not sent', () => {
    const answer = sampleStream([5100, 5150]);
    const streamed = sampleObservation({
      traffic: 'chat-stream',
      outcome: { kind: 'completed', answer },
    });
    const dropped = sampleObservation({ outcome: { kind: 'dropped', cause: 'saturated' } });
    expect(sampleOf([streamed, dropped]).map(({ rows }) => rows)).toEqual([
      [[0, 15, 5000, null, null, null]],
      [[0, 15, 5000, 200, 100, answer.tokens.input]],
    ]);
  });

  it('of a run whose tally is flushed meanwhile equals that of the run recorded at once', () => {
    fc.assert(
      fc.property(fc.array(anyObservations, { maxLength: 4 }), (parts) => {
        const plan = samplePlan();
        const incremental = createIncrementalTally(plan);
        const whole = emptyTally(plan);
        for (const part of parts) {
          for (const observation of part) {
            incremental.record(observation);
            recordObservation(whole, observation);
          }
          incremental.flush();
        }
        const { store } = requestSampleRecorder(plan);
        expect(store(incremental.whole().requestSample)).toEqual(store(whole.requestSample));
      }),
      { numRuns: 20 },
    );
  });

  it('writes few rows once it is full, although every part of a run is written', () => {
    const tally = createIncrementalTally(samplePlan());
    const list = Array.from({ length: 40_000 }, (_, index) => sampleObservation({ index }));
    const written = Array.from({ length: 10 }, (_, part) => {
      for (const observation of list.slice(part * 4000, (part + 1) * 4000))
        tally.record(observation);
      const parts = [...{ [Symbol.iterator]: tally.flush }];
      return parts
        .flatMap(({ requestSample = [] }) => requestSample)
        .reduce((sum, { rows }) => sum + rows.length, 0);
    });
    expect(written[0]).toBe(2000);
    // Of the last part, 2,000 × 4,000 / 32,000 requests have lower ranks than the 2,000 of the first eight.
    expect(written[9]).toBeLessThan(400);
    expect(tally.whole().requestSample.completed.requests).toHaveLength(2000);
  });
});

describe('hashOf', () => {
  it('spreads neighbours over all 32 bits', () => {
    const hashes = Array.from({ length: 4096 }, (_, i) => hashOf(1, i % 4, i >> 2));
    expect(new Set(hashes).size).toBe(hashes.length);
    for (let bit = 0; bit < 32; bit += 1) {
      const set = hashes.filter((hash) => ((hash >>> bit) & 1) === 1).length;
      expect(Math.abs(set - 2048), `bit ${bit}`).toBeLessThan(4 * 32);
    }
  });
});
