import { describe, expect, it } from 'vitest';
import type { Observation } from '../model/observation/observation.ts';
import { instant } from '../model/quantity.ts';
import { hashOf } from '../model/workload/draw.ts';
import { continueSample, requestSampleRecorder } from './request-sample.ts';
import { sampleObservation, sampleStream } from './sample-observations.fixture.ts';

/** A sample of three completed and two failed requests, in which those with the lowest hashes are. */
const recorder = requestSampleRecorder({ seed: 7 }, { completed: 3, failed: 2 });

const requests = (indices: readonly number[], more: Partial<Observation> = {}) =>
  indices.map((index) => sampleObservation({ stage: 0, index, ...more }));
const dropped = { outcome: { kind: 'dropped', cause: 'saturated' } } as Partial<Observation>;
const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);
const stateOf = (observations: readonly Observation[], state = recorder.restore([])) => {
  for (const observation of observations) recorder.record(state, observation);
  return state;
};
const shown = (state: ReturnType<typeof stateOf>) =>
  recorder
    .store(state)
    .map(({ outcome, count, rows }) => [outcome, count, rows.map(([, index]) => index)]);
/** The indices with the lowest hashes, in the order of these. */
const lowest = (indices: readonly number[], count: number): readonly number[] =>
  indices.toSorted((a, b) => hashOf(7, 0, a) - hashOf(7, 0, b)).slice(0, count);

describe('the requests that are kept', () => {
  it('are those with the lowest hashes, of completed and of failed ones', () => {
    const state = stateOf([...requests(upTo(40)), ...requests(upTo(30), dropped)]);
    expect(shown(state)).toEqual([
      ['completed', 40, lowest(upTo(40), 3)],
      ['dropped', 30, lowest(upTo(30), 2)],
    ]);
    expect(shown(stateOf(requests(upTo(2))))).toEqual([['completed', 2, lowest(upTo(2), 2)]]);
  });

  it('are the same if parts of a run are added, read again or split', () => {
    const whole = stateOf(requests(upTo(40)));
    const [first, second] = [upTo(40).slice(0, 17), upTo(40).slice(17)];
    const sum = stateOf(requests(first));
    recorder.add(sum, stateOf(requests(second), continueSample(sum)));
    expect(recorder.store(sum)).toEqual(recorder.store(whole));
    expect(recorder.store(recorder.restore(recorder.store(whole)))).toEqual(recorder.store(whole));
    const joined = recorder.restore([]);
    for (const { state, stored } of recorder.split(whole)) {
      expect(recorder.store(state)).toEqual(stored);
      recorder.add(joined, state);
    }
    expect(recorder.store(joined)).toEqual(recorder.store(whole));
  });

  it('have the time they took, to a thousandth, unless they were never sent', () => {
    const times = { due: instant(100.12345), ended: instant(350.1239) };
    const rowOf = (more: Partial<Observation>) =>
      recorder.store(stateOf(requests([4], { ...times, ...more })))[0]!.rows[0];
    expect(rowOf({})).toEqual([0, 4, 100.123, 250, null, null]);
    expect(rowOf(dropped)).toEqual([0, 4, 100.123, null, null, null]);
  });

  it('have the time to the first token of a stream, to a thousandth, and its input tokens', () => {
    const outcome = { kind: 'completed', answer: sampleStream([5100.1239, 5150]) } as const;
    const streams = requests([4], { traffic: 'chat-stream', outcome });
    expect(recorder.store(stateOf(streams))[0]!.rows).toEqual([[0, 4, 5000, 200, 100.124, 10]]);
  });
});
