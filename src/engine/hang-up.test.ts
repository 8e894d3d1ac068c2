import { describe, expect, it } from 'vitest';
import { milliseconds } from '../model/quantity.ts';
import type { HangUpMoment } from '../model/workload/hang-up.ts';
import { constantLoad, fakePlan, startFakeRun } from './fake-run.fixture.ts';

const chunk = (text: string): Uint8Array =>
  new TextEncoder().encode(
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text } }] })}\n\n`,
  );
const stream = { 'content-type': 'text/event-stream' };
const deadlines = { connect: null, firstToken: null, idle: null, total: null };

/** Starts one streamed chat, on which the client is to hang up. */
const startOne = (after: HangUpMoment) => {
  const load = constantLoad(1, 1000);
  const entry = {
    kind: 'chat-stream' as const,
    weight: 1,
    model: 'm',
    conversations: [[{ role: 'user' as const, content: 'hello' }]],
    maxTokens: null,
    body: {},
    price: null,
    cancel: { share: 1, after },
  };
  const started = startFakeRun(
    fakePlan(load, {
      stages: [{ name: 'main', load, traffic: [entry] }],
      deadlines,
      grace: milliseconds(5000),
      retry: {
        attempts: 3,
        base: milliseconds(10),
        cap: milliseconds(10),
        on: ['limited', 'server-error', 'connect', 'unanswered'],
      },
    }),
  );
  started.world.advanceTo(10);
  const [sent] = started.world.sent;
  return { ...started, exchange: sent!, observer: sent!.observer };
};

describe('the client hangs up', () => {
  it('after the read with the token asked for, and the request is not retried', async () => {
    const { world, running, exchange, observer, observations } = startOne({
      kind: 'tokens',
      count: 3,
    });
    observer.onHeaders(world.clock.now(), 200, stream);
    observer.onChunk(world.clock.now(), chunk('a'));
    observer.onChunk(world.clock.now(), chunk('b'));
    expect(exchange.aborted).toBeNull();
    observer.onChunk(world.clock.now(), Buffer.concat([chunk('c'), chunk('d')]));
    expect(exchange.aborted).toBe('aborted');
    world.advanceTo(2000);
    await running.done;
    expect(world.sent).toHaveLength(1);
    expect(observations).toMatchObject([
      { toCancel: true, ended: 10, gaveUp: null, outcome: { kind: 'cancelled' } },
    ]);
    const { outcome } = observations[0]!;
    expect(outcome).toMatchObject({ bytes: 4 * chunk('a').length, partial: { coalesced: 1 } });
  });

  it('after the time asked for from the first byte of the request', () => {
    const { world, observations } = startOne({ kind: 'time', time: milliseconds(300) });
    world.advanceTo(300);
    expect(observations).toEqual([]);
    world.advanceTo(301);
    expect(observations).toMatchObject([
      { sent: 1, ended: 301, outcome: { kind: 'cancelled', bytes: 0, partial: null } },
    ]);
  });

  it('as soon as the request is sent', () => {
    const { observations } = startOne({ kind: 'sent' });
    expect(observations).toMatchObject([{ sent: 1, ended: 2, outcome: { kind: 'cancelled' } }]);
  });

  it('with the head of an answer, but reads a refusal to its end', () => {
    const { world, exchange, observer, observations } = startOne({ kind: 'headers' });
    observer.onHeaders(world.clock.now(), 400, { 'content-type': 'application/json' });
    expect(exchange.aborted).toBeNull();
    observer.onEnd(world.clock.now());
    const other = startOne({ kind: 'headers' });
    other.observer.onHeaders(world.clock.now(), 200, stream);
    expect([...observations, ...other.observations]).toMatchObject([
      { toCancel: true, outcome: { kind: 'refused' } },
      { toCancel: true, head: { status: 200 }, outcome: { kind: 'cancelled', bytes: 0 } },
    ]);
  });

  it('not on an answer that is complete, although the server keeps the stream open', () => {
    const { world, observer, observations } = startOne({ kind: 'time', time: milliseconds(100) });
    observer.onHeaders(world.clock.now(), 200, stream);
    const end =
      'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
    observer.onChunk(world.clock.now(), Buffer.concat([chunk('a'), Buffer.from(end)]));
    world.advanceTo(1000);
    expect(observations).toMatchObject([{ ended: 10, outcome: { kind: 'completed' } }]);
  });
});
