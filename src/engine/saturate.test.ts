import { expect, it } from 'vitest';
import type { RequestBatch } from '../model/observation/saturating-client.ts';
import type { BrokenCause, ExchangeObserver } from '../model/observation/exchange.ts';
import type { Observation } from '../model/observation/observation.ts';
import type { Plan } from '../model/plan/plan.ts';
import { milliseconds } from '../model/quantity.ts';
import { constantLoad, fakeSliceOptions, fakePlan } from './fake-run.fixture.ts';
import { fakeWorld } from './fake-world.fixture.ts';
import { saturate } from './saturate.ts';

const list = new TextEncoder().encode(JSON.stringify({ object: 'list', data: [] }));

/** A saturating load in a fake world, with a client whose answers the test gives. */
const startSaturation = (connections: number, changes: Partial<Plan> = {}) => {
  const { clock, advanceTo } = fakeWorld();
  const observations: Observation[] = [];
  const inFlight: (ExchangeObserver | null)[] = [];
  const turns: number[] = [];
  const aborted: BrokenCause[] = [];
  let batch: RequestBatch | null = null;
  let isStopped = false;
  const ask = (connection: number): void => {
    if (isStopped || batch === null) return;
    const turn = turns[connection] ?? 0;
    turns[connection] = turn + 1;
    const observer = batch.observerFor(connection, turn % batch.requests[connection]!.length, {
      abort: (cause, detail) => {
        inFlight[connection] = null;
        aborted.push(cause);
        observer.onFailure(clock.now(), cause, detail);
      },
    });
    inFlight[connection] = observer;
    observer.onConnected(clock.now(), turn === 0 ? 'new' : 'reused');
    observer.onSent(clock.now());
  };
  const load = { kind: 'saturate', connections, duration: milliseconds(1000) } as const;
  const running = saturate(fakeSliceOptions(fakePlan(load, changes)), {
    clock,
    observe: (observation) => observations.push(observation),
    client: {
      start: (wanted) => {
        batch = wanted;
        for (let connection = 0; connection < connections; connection += 1) ask(connection);
        return {
          stop: () => (isStopped = true),
          notes: () => [],
          close: () => Promise.resolve(),
        };
      },
    },
  });
  const answer = (connection: number, status = 200, body = list): void => {
    const observer = inFlight[connection]!;
    inFlight[connection] = null;
    observer.onHeaders(clock.now(), status, { 'content-type': 'application/json' });
    observer.onChunk(clock.now(), body);
    observer.onEnd(clock.now());
    ask(connection);
  };
  const fired = (): RequestBatch => batch!;
  return { running, observations, inFlight, aborted, advanceTo, answer, fired };
};

it('each connection sends the requests of the user with its number, prepared once and sent in turn', () => {
  const { fired } = startSaturation(3);
  const ids = fired().requests.map((own) => own.map(({ headers }) => headers['x-request-id']));
  expect(ids.map((own) => own.slice(0, 2))).toEqual([
    ['r-0-0', 'r-0-3'],
    ['r-0-1', 'r-0-4'],
    ['r-0-2', 'r-0-5'],
  ]);
  expect(ids.flat()).toHaveLength(1023);
  expect(startSaturation(2000).fired().requests.flat()).toHaveLength(2000);
});

it('each answer is read by its kind and becomes one observation, due when its connection was idle', async () => {
  const { running, observations, advanceTo, answer } = startSaturation(2);
  advanceTo(10);
  answer(0);
  advanceTo(15);
  answer(0, 200, new TextEncoder().encode('{"object":"nonsense"}'));
  answer(1, 429, new TextEncoder().encode('{}'));
  expect(running.progress()).toEqual({ due: 5, inFlight: 2, endedBefore: 15 });
  advanceTo(1200);
  const end = await running.done;
  expect(end).toMatchObject({ loadEnded: 1000, stopped: false, spent: null });
  expect(end.notes.join(' ')).toContain(
    'autocannon sent the next request on each of 2 connections',
  );
  const reported = observations.map(({ index, due, ended, outcome }) => [
    index,
    due,
    ended,
    outcome.kind,
  ]);
  expect(reported.slice(0, 3)).toEqual([
    [0, 0, 10, 'completed'],
    [2, 10, 15, 'malformed'],
    [1, 0, 15, 'limited'],
  ]);
});

it('the engine enforces deadlines and aborts what is never answered', () => {
  const { observations, aborted, advanceTo } = startSaturation(1);
  advanceTo(300);
  expect(aborted).toEqual(['deadline-first-token']);
  expect(observations[0]?.outcome).toMatchObject({ kind: 'broken', cause: 'deadline-first-token' });
});

it('at the end of the load requests in flight can end, and nothing is sent', async () => {
  const { running, observations, inFlight, advanceTo, answer } = startSaturation(1);
  for (let at = 100; at <= 900; at += 100) {
    advanceTo(at);
    answer(0);
  }
  advanceTo(1050);
  answer(0);
  expect(inFlight).toEqual([null]);
  advanceTo(1100);
  expect(await running.done).toMatchObject({ loadEnded: 1000, stopped: false });
  expect(observations).toHaveLength(10);
  expect(observations.every(({ outcome }) => outcome.kind === 'completed')).toBe(true);
});

it('a stop gives requests in flight the grace period and then aborts them', async () => {
  const { running, observations, aborted, advanceTo } = startSaturation(2, {
    deadlines: { connect: null, firstToken: null, idle: null, total: null },
  });
  advanceTo(100);
  running.stop(milliseconds(200));
  advanceTo(290);
  expect(aborted).toEqual([]);
  advanceTo(320);
  expect(aborted).toEqual(['aborted', 'aborted']);
  expect(await running.done).toMatchObject({ loadEnded: 100, stopped: true });
  expect(observations).toHaveLength(2);
});

it('a stop after the end of the load is none, whoever ended it', async () => {
  const after = startSaturation(1);
  after.advanceTo(1001);
  after.running.stop(milliseconds(0));
  expect(await after.running.done).toMatchObject({ loadEnded: 1000, stopped: false });
  const ended = startSaturation(1);
  ended.advanceTo(50);
  ended.running.endLoad();
  ended.running.stop(milliseconds(0));
  expect(await ended.running.done).toMatchObject({ loadEnded: 50, stopped: false });
  // A stop at the very end comes before anything else has noticed it.
  const last = startSaturation(1);
  last.advanceTo(100);
  last.running.stop(milliseconds(5000));
  last.answer(0);
  last.advanceTo(400);
  expect(await last.running.done).toMatchObject({ loadEnded: 100, stopped: true });
});

it('an end of the load gives requests in flight the plan’s grace, and closing closes the client', async () => {
  const { running, aborted, advanceTo } = startSaturation(1, {
    grace: milliseconds(300),
    deadlines: { connect: null, firstToken: null, idle: null, total: null },
  });
  advanceTo(100);
  running.endLoad();
  advanceTo(399);
  expect(aborted).toEqual([]);
  advanceTo(420);
  expect(aborted).toEqual(['aborted']);
  await expect(running.close()).resolves.toBeUndefined();
});

it('a plan without a load that saturates is none of its', () => {
  const { stages } = fakePlan(constantLoad(1, 1000));
  expect(() => startSaturation(1, { stages })).toThrow('no load of the kind "saturate"');
});
