import { expect, it } from 'vitest';
import type { Observation } from '../model/observation/observation.ts';
import { instant } from '../model/quantity.ts';
import { exemplarRecorder, type Exemplars } from './exemplars.ts';
import { answeredChat, sampleObservation } from './sample-observations.fixture.ts';

const exemplarsOf = (observations: readonly Observation[]) => {
  const lists: Exemplars = new Map();
  for (const observation of observations) exemplarRecorder.record(lists, observation);
  return exemplarRecorder.store(lists);
};

it('the twenty slowest completed requests are kept, the slowest first', () => {
  const times = Array.from({ length: 30 }, (_, i) => 100 + ((7 * i) % 30));
  const kept = exemplarsOf(times.map((took, i) => answeredChat(1000 * i, took)));
  expect(kept.map(({ due, ended }) => ended - due)).toEqual(
    Array.from({ length: 20 }, (_, i) => 129 - i),
  );
});

it('the first and the last five requests of a failed outcome are kept, in order of time', () => {
  const failed = Array.from({ length: 12 }, (_, i) =>
    sampleObservation({
      ended: instant(6000 + i),
      outcome: { kind: 'broken', cause: 'reset', detail: '', partial: null },
    }),
  );
  const kept = exemplarsOf([...failed, sampleObservation()]);
  expect(kept.map(({ outcome, ended }) => [outcome, ended - 6000])).toEqual([
    ['completed', -800],
    ...[0, 1, 2, 3, 4, 7, 8, 9, 10, 11].map((i) => ['broken', i]),
  ]);
});
