import { expect, it } from 'vitest';
import type { Plan } from '../model/plan/plan.ts';
import type { Traffic } from '../model/workload/traffic.ts';
import { constantLoad, fakePlan, startFakeRun } from './fake-run.fixture.ts';

/** What the answers of a slice mean by its plan, and what a slice says of them at its end. */

const chat = (kind: 'chat' | 'chat-stream'): Traffic => ({
  kind,
  weight: 1,
  model: 'm',
  conversations: [[{ role: 'user', content: 'Hi' }]],
  maxTokens: 20,
  body: {},
  price: null,
});

/** A slice that sends two requests 500 ms apart. */
const start = (traffic: Traffic, changes: Partial<Plan> = {}) =>
  startFakeRun(
    fakePlan(constantLoad(2, 1000), {
      stages: [{ name: 'main', load: constantLoad(2, 1000), traffic: [traffic] }],
      ...changes,
    }),
  );

const answerOf = (finish: string): string =>
  JSON.stringify({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: finish }],
    usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
  });

it('an answer fails if it ends with a reason that the plan counts as a failure', async () => {
  const { world, running, observations } = start(chat('chat'), { fails: [{ finish: 'length' }] });
  world.advanceTo(100);
  world.sent[0]!.answer(200, 'application/json', answerOf('stop'));
  world.advanceTo(600);
  world.sent[1]!.answer(200, 'application/json', answerOf('length'));
  world.advanceTo(2000);
  await running.done;
  expect(observations.map(({ outcome }) => outcome.kind === 'completed')).toEqual([true, false]);
});

it.each([
  ['', ''],
  ['east', 'east: '],
])('what the answers of target "%s" taught is noted as "%s…"', async (target, name) => {
  const { wire, keys, target: only } = fakePlan(constantLoad(1, 1));
  const named = {
    targets: [{ name: target, wire, target: only }],
    keys: keys.map((key) => ({ ...key, target })),
  } as unknown as Partial<Plan>;
  const { world, running } = start(chat('chat-stream'), target === '' ? {} : named);
  world.advanceTo(100);
  const refusal = JSON.stringify({ error: { message: 'unknown field stream_options' } });
  world.sent[0]!.answer(400, 'application/json', refusal);
  world.advanceTo(2000);
  const { notes } = await running.done;
  expect(notes).toHaveLength(1);
  expect(notes[0]!.startsWith(`${name}The target answered 400 to a stream`)).toBe(true);
});

it('a stream that is larger than the plan allows is aborted at once', async () => {
  const { world, running, observations } = start(chat('chat-stream'), {
    caps: { bytes: 100, events: 100 },
  });
  world.advanceTo(50);
  const [first] = world.sent;
  first!.observer.onHeaders(world.clock.now(), 200, { 'content-type': 'text/event-stream' });
  first!.observer.onChunk(world.clock.now(), new Uint8Array(90).fill(0x3a));
  expect(first!.aborted).toBeNull();
  first!.observer.onChunk(world.clock.now(), new Uint8Array(90).fill(0x3a));
  expect(first!.aborted).toBe('too-large');
  expect(observations[0]!.outcome).toMatchObject({ kind: 'broken', cause: 'too-large' });
  world.advanceTo(3000);
  await running.done;
});
