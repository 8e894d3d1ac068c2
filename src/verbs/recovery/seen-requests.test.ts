import { expect, it } from 'vitest';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { instant, milliseconds } from '../../model/quantity.ts';
import {
  answeredChat,
  refusedWith,
  sampleObservation,
  sampleStream,
} from '../../record/sample-observations.fixture.ts';
import { seenRequest } from './seen-requests.ts';

const [stage] = samplePlan().stages;
const plan = samplePlan({ stages: [stage!, { ...stage!, population: 'backoff' }] });

it('an answer comes when it ends, a stream with its first token, and a failure never', () => {
  expect(seenRequest(answeredChat(1000, 300), plan)).toEqual({
    policy: '',
    due: 1000,
    ended: 1300,
    came: 1300,
    attempts: [{ sent: 1000, isAnswered: true }],
    named: 0,
  });
  const answer = sampleStream([5100, 5150]);
  const streamed = sampleObservation({ outcome: { kind: 'completed', answer } });
  expect(seenRequest(streamed, plan).came).toBe(5100);
  const empty = { kind: 'completed', answer: { ...answer, firstToken: null } } as const;
  expect(seenRequest(sampleObservation({ outcome: empty }), plan).came).toBe(5200);
  const broken = { kind: 'broken', cause: 'reset', detail: '', partial: null } as const;
  const failed = seenRequest(sampleObservation({ stage: 1, outcome: broken }), plan);
  expect(failed).toMatchObject({ policy: 'backoff', came: Infinity, ended: 5200 });
  expect(failed.attempts).toEqual([{ sent: 5004, isAnswered: false }]);
});

it('each attempt that was sent counts, and each wait that the target named', () => {
  const { requestId: _, ...attempt } = sampleObservation();
  const earlier = (['backoff', 'retry-after', 'wait-in-body'] as const).map((waitBy, i) => ({
    ...attempt,
    sent: i === 1 ? null : instant(1000 * i),
    outcome: refusedWith('later', { status: 429 }),
    wait: milliseconds(5),
    waitBy,
  }));
  const { attempts, named } = seenRequest(
    sampleObservation({ earlier, outcome: refusedWith('down', { status: 500 }) }),
    plan,
  );
  expect(attempts).toEqual([
    { sent: 0, isAnswered: true },
    { sent: 2000, isAnswered: true },
    { sent: 5004, isAnswered: true },
  ]);
  expect(named).toBe(2);
});
