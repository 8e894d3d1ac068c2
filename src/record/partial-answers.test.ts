import { expect, it } from 'vitest';
import type { Group } from '../model/measures/counts.ts';
import { decodeHistogram } from '../model/measures/histogram.ts';
import type { Observation } from '../model/observation/observation.ts';
import { samplePlan } from '../model/plan/sample-plan.fixture.ts';
import { groupRecorder } from './groups.ts';
import { sampleObservation, sampleStream } from './sample-observations.fixture.ts';

const groupOf = (...observations: readonly Observation[]): Group => {
  const recorder = groupRecorder(samplePlan());
  const groups = recorder.restore([]);
  for (const observation of observations) recorder.record(groups, observation);
  return recorder.store(groups)[0]!;
};

it('groups have the times to the first parts of broken streams apart, and none where the client was to hang up', () => {
  const partial = sampleStream([5100, 5120]);
  const broken = sampleObservation({
    traffic: 'chat-stream',
    outcome: { kind: 'broken', cause: 'reset', detail: 'reset by peer', partial },
  });
  const group = groupOf(broken, broken);
  expect(decodeHistogram(group.partials!.ttft!)).toMatchObject({ count: 2 });
  expect(group).not.toHaveProperty('hangUps');
  const left = groupOf({ ...broken, toCancel: true });
  expect(left.partials?.ttft).toBeUndefined();
  expect(left.hangUps?.outcomes).toMatchObject({ broken: 1 });
});
