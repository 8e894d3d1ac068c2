import { describe, expect, it } from 'vitest';
import type { Plan } from '../model/plan/plan.ts';
import { milliseconds } from '../model/quantity.ts';
import type { Retry } from '../model/plan/retry.ts';
import { constantLoad, fakePlan, startFakeRun } from './fake-run.fixture.ts';

const json = 'application/json';
const list = JSON.stringify({ object: 'list', data: [] });
const limited = JSON.stringify({ error: { message: 'slow down', type: 't', code: 'c' } });
const retry: Retry = {
  attempts: 3,
  base: milliseconds(100),
  cap: milliseconds(100),
  on: ['limited', 'server-error', 'connect'],
};
const deadlines = { connect: null, firstToken: null, idle: null, total: milliseconds(5000) };

/** One request at the beginning, in a load of one second. */
const startOne = (changes: Partial<Plan> = {}) =>
  startFakeRun(
    fakePlan(constantLoad(1, 1000), { retry, deadlines, grace: milliseconds(10_000), ...changes }),
  );

describe('a request that is refused', () => {
  it('is retried when the server asks for it, with the same content, and makes one observation of all attempts', async () => {
    const { world, running, observations } = startOne();
    world.advanceTo(10);
    world.sent[0]!.answer(429, json, limited, { 'retry-after': '2' });
    world.advanceTo(2009);
    expect(world.sent).toHaveLength(1);
    expect(running.progress()).toEqual({ due: 1, inFlight: 0, endedBefore: 0 });
    world.advanceTo(2010);
    expect(world.sent[1]!.request).toEqual(world.sent[0]!.request);
    world.advanceTo(2030);
    world.sent[1]!.answer(200, json, list);
    world.advanceTo(2060);
    await running.done;
    expect(observations).toHaveLength(1);
    expect(observations[0]).toMatchObject({
      due: 0,
      released: 2010,
      begun: 2010,
      sent: 2010,
      ended: 2030,
      gaveUp: null,
      outcome: { kind: 'completed' },
      earlier: [
        {
          released: 0,
          begun: 1,
          sent: 1,
          head: { at: 10, status: 429 },
          ended: 10,
          outcome: { kind: 'limited', retryAfter: 2000 },
          wait: 2000,
          waitBy: 'retry-after',
        },
      ],
    });
  });

  it('waits a random time where the server names none, the same in each run', () => {
    const releases = [1, 2].map(() => {
      const { world, observations } = startOne();
      world.advanceTo(10);
      world.sent[0]!.answer(503, json, limited);
      world.advanceTo(200);
      world.sent[1]!.answer(200, json, list);
      return observations[0]!.released;
    });
    expect(releases[0]).toBe(releases[1]);
    expect(releases[0]).toBeGreaterThan(10);
    expect(releases[0]).toBeLessThan(110);
  });

  it('counts no wait as lag', () => {
    const { world, observations } = startOne();
    world.advanceTo(10);
    world.sent[0]!.answer(503, json, limited);
    world.advanceTo(200);
    world.sent[1]!.answer(200, json, list);
    const { released, begun } = observations[0]!;
    expect(begun - released).toBeLessThanOrEqual(1);
  });

  it('fails with the last answer after all attempts', () => {
    const { world, observations } = startOne();
    for (const attempt of [0, 1, 2]) {
      world.advanceTo(10 + attempt * 200);
      world.sent[attempt]!.answer(429, json, limited);
    }
    expect(observations).toHaveLength(1);
    expect(observations[0]).toMatchObject({
      gaveUp: 'attempts',
      outcome: { kind: 'limited' },
      earlier: [{ waitBy: 'backoff' }, { waitBy: 'backoff' }],
    });
    world.advanceTo(1000);
    expect(world.sent).toHaveLength(3);
  });

  it('is limited at once when the server asks for a wait beyond the total deadline', () => {
    const { world, observations } = startOne();
    world.advanceTo(10);
    world.sent[0]!.answer(429, json, limited, { 'retry-after': '60' });
    expect(observations).toMatchObject([
      { gaveUp: 'patience', outcome: { kind: 'limited' }, ended: 10, earlier: [] },
    ]);
  });

  it('is retried if it found no connection', () => {
    const { world, observations } = startOne();
    world.advanceTo(10);
    world.sent[0]!.fail('connect-refused');
    world.advanceTo(200);
    world.sent[1]!.answer(200, json, list);
    expect(observations).toMatchObject([
      { outcome: { kind: 'completed' }, earlier: [{ outcome: { cause: 'connect-refused' } }] },
    ]);
  });

  it('has one total deadline over all attempts', () => {
    const { world, observations } = startOne();
    world.advanceTo(10);
    world.sent[0]!.answer(429, json, limited, { 'retry-after': '4' });
    world.advanceTo(6000);
    expect(observations).toMatchObject([
      { outcome: { kind: 'broken', cause: 'deadline-total' }, earlier: [{ wait: 4000 }] },
    ]);
    expect(observations[0]!.ended).toBeLessThanOrEqual(5000 + 20 + 1);
  });

  it('counts as in flight while it waits', () => {
    const { world, observations } = startFakeRun(
      fakePlan(constantLoad(10, 1000), { retry, deadlines, inFlight: 1 }),
    );
    world.advanceTo(10);
    world.sent[0]!.answer(429, json, limited, { 'retry-after': '3' });
    world.advanceTo(1000);
    expect(observations.map(({ outcome }) => outcome.kind)).toEqual(Array(9).fill('dropped'));
  });

  it('keeps its user waiting until its last attempt', () => {
    const { world } = startFakeRun(
      fakePlan(
        {
          kind: 'closed',
          users: 1,
          duration: milliseconds(5000),
          thinkTime: milliseconds(0),
          rampUp: milliseconds(0),
        },
        { retry, deadlines },
      ),
    );
    world.advanceTo(10);
    world.sent[0]!.answer(429, json, limited, { 'retry-after': '1' });
    world.advanceTo(1100);
    world.sent[1]!.answer(200, json, list);
    world.advanceTo(1102);
    expect(world.sent.map(({ at }) => at)).toEqual([1, 1010, 1100]);
  });
});

describe('a retry that waits when the run ends', () => {
  const waiting = (changes: Partial<Plan> = {}) => {
    const started = startOne(changes);
    started.world.advanceTo(10);
    started.world.sent[0]!.answer(429, json, limited, { 'retry-after': '3' });
    return started;
  };
  const unfinished = {
    gaveUp: 'run-ended',
    outcome: { kind: 'limited' },
    earlier: [],
    due: 0,
    ended: 10,
  };

  it('is still sent within the grace period', async () => {
    const { world, running, observations } = waiting();
    world.advanceTo(3010);
    world.sent[1]!.answer(200, json, list);
    world.advanceTo(3040);
    await running.done;
    expect(observations).toMatchObject([{ outcome: { kind: 'completed' } }]);
  });

  it('ends with the grace period, with the outcome of its last attempt and the reason', async () => {
    const { world, running, observations } = waiting({ grace: milliseconds(500) });
    world.advanceTo(1600);
    await running.done;
    expect(observations).toMatchObject([unfinished]);
    expect(world.sent).toHaveLength(1);
  });

  it('ends at once when the run is stopped, and later failures are not retried', async () => {
    const { world, running, observations } = startFakeRun(
      fakePlan(constantLoad(2, 2000), { retry, deadlines, grace: milliseconds(500) }),
    );
    world.advanceTo(10);
    world.sent[0]!.answer(429, json, limited, { 'retry-after': '3' });
    world.advanceTo(600);
    running.stop(milliseconds(1000));
    expect(observations).toMatchObject([unfinished]);
    world.sent[1]!.answer(503, json, limited);
    world.advanceTo(800);
    await running.done;
    expect(observations[1]).toMatchObject({ gaveUp: 'run-ended', outcome: { kind: 'refused' } });
    expect(world.sent).toHaveLength(2);
  });
});
