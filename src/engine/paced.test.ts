import { describe, expect, it } from 'vitest';
import type { Observation } from '../model/observation/observation.ts';
import type { Pace } from '../model/plan/pace.ts';
import type { Load, Plan } from '../model/plan/plan.ts';
import { milliseconds } from '../model/quantity.ts';
import { constantLoad, fakePlan, fakeSliceOptions, startFakeRun } from './fake-run.fixture.ts';
import { fakeWorld } from './fake-world.fixture.ts';
import { runSlice } from './run-slice.ts';

const json = 'application/json';
const list = JSON.stringify({ object: 'list', data: [] });
const deadlines = { connect: null, firstToken: null, idle: null, total: null };
const grace = milliseconds(10_000);
/** Four requests per second for each of the two keys of a fake run. */
const pace: Pace = {
  requests: 4,
  tokens: null,
  window: milliseconds(990),
  margin: milliseconds(10),
  charged: 'ended',
};

const startPaced = (load: Load, changes: Partial<Plan> = {}, slice = { index: 0, count: 1 }) =>
  startFakeRun(fakePlan(load, { pace, deadlines, grace, ...changes }), slice);

const releases = (observations: readonly Observation[]): readonly number[] =>
  observations.map(({ released }) => released);

describe('a run under a pace', () => {
  it('releases what the limits of all keys allow and makes the other requests wait', () => {
    const { world, observations } = startPaced(constantLoad(20, 1000));
    for (let time = 1; time < 3000; time += 1) {
      world.advanceTo(time);
      for (const exchange of world.sent) if (!exchange.isFinished) exchange.answer(200, json, list);
    }
    expect(world.sent.map(({ at }) => at)).toEqual([
      1, 50, 100, 150, 200, 250, 300, 350, 1001, 1050, 1100, 1150, 1200, 1250, 1300, 1350, 2001,
      2050, 2100, 2150,
    ]);
    for (const key of ['a', 'b']) {
      const ofKey = releases(observations.filter((each) => each.key === key));
      for (const begin of ofKey) {
        const within = ofKey.filter((moment) => moment >= begin && moment < begin + 1000);
        expect(within.length).toBeLessThanOrEqual(4);
      }
    }
  });

  it('lets users go on whose requests have waited past their total deadline', () => {
    const load = {
      kind: 'closed',
      users: 9,
      duration: milliseconds(900),
      thinkTime: milliseconds(0),
      rampUp: milliseconds(0),
    } as const;
    const total = { ...deadlines, total: milliseconds(100) };
    const { world, observations } = startPaced(load, { deadlines: total });
    for (let time = 1; time < 900; time += 1) {
      world.advanceTo(time);
      for (const exchange of world.sent) if (!exchange.isFinished) exchange.answer(200, json, list);
    }
    const dropped = observations.filter(({ outcome }) => outcome.kind === 'dropped');
    // Nine users, each of whom waits 100 to 120 ms again and again.
    expect(dropped.length).toBeGreaterThan(9 * 6);
  });

  it('counts no wait as lag and keeps every due instant', () => {
    const { world, observations } = startPaced(constantLoad(20, 1000));
    for (let time = 1; time < 3000; time += 1) {
      world.advanceTo(time);
      for (const exchange of world.sent) if (!exchange.isFinished) exchange.answer(200, json, list);
    }
    expect(observations.map(({ due }) => due)).toEqual(
      Array.from({ length: 20 }, (_, index) => index * 50),
    );
    for (const { begun, released } of observations) {
      expect(released).toBeLessThanOrEqual(begun);
      expect(begun - released).toBeLessThanOrEqual(1);
    }
    expect(releases(observations).slice(8, 10)).toEqual([1001, 1050]);
  });

  it('counts a slot that was noticed late as lag', () => {
    const { world, observations, answerAll } = startPaced(constantLoad(20, 1000));
    world.advanceTo(500);
    answerAll();
    // Time passes while no timer fires.
    Object.assign(world.clock, { now: () => 1030 });
    world.sent[0]!.observer.onChunk(1030 as never, new TextEncoder().encode(' '));
    expect(world.sent).toHaveLength(9);
    Object.assign(world.clock, { now: () => 1031 });
    world.sent[8]!.observer.onFailure(1031 as never, 'reset', '');
    expect(observations.at(-1)).toMatchObject({ due: 400, released: 1001, begun: 1030 });
  });

  it('counts retries like any other request, in order of due instants', () => {
    const retry = {
      attempts: 2,
      base: milliseconds(1),
      cap: milliseconds(1),
      on: ['limited' as const],
    };
    const { world, observations } = startPaced(constantLoad(10, 1000), {
      pace: { ...pace, requests: 1 },
      retry,
    });
    world.advanceTo(500);
    world.sent[0]!.answer(429, json, '{}', { 'retry-after': '0' });
    world.advanceTo(1010);
    expect(world.sent).toHaveLength(3);
    world.sent[2]!.answer(200, json, list);
    expect(observations).toMatchObject([
      {
        index: 0,
        due: 0,
        released: 1001,
        earlier: [{ released: 0, ended: 500, waitBy: 'backoff' }],
      },
    ]);
  });

  it('blocks a key for as long as a refusal asks for and continues with the others', () => {
    const { world, observations } = startPaced(constantLoad(20, 1000), {
      pace: { ...pace, requests: 100 },
    });
    const refused = (headers: Readonly<Record<string, string>>): boolean =>
      headers['authorization'] === 'Bearer key-a';
    for (let time = 1; time < 1200; time += 1) {
      world.advanceTo(time);
      for (const exchange of world.sent) {
        if (exchange.isFinished) continue;
        if (time < 600 && refused(exchange.request.headers))
          exchange.answer(429, json, '{}', { 'retry-after-ms': '600' });
        else exchange.answer(200, json, list);
      }
    }
    const ofFirst = observations.filter(({ key }) => key === 'a');
    expect(ofFirst[0]).toMatchObject({ outcome: { kind: 'limited' } });
    expect(ofFirst[1]!.begun - ofFirst[0]!.ended).toBeGreaterThanOrEqual(600);
    expect(observations.filter(({ outcome }) => outcome.kind === 'completed')).toHaveLength(19);
    expect(Math.max(...observations.map(({ begun, due }) => begun - due))).toBeLessThanOrEqual(1);
  });

  it('drops requests that wait when the run ends or beyond the total deadline', async () => {
    const { world, running, observations } = startPaced(constantLoad(20, 1000), {
      grace: milliseconds(700),
      deadlines: { ...deadlines, total: milliseconds(900) },
    });
    for (let time = 1; time < 1800; time += 1) {
      world.advanceTo(time);
      for (const exchange of world.sent) if (!exchange.isFinished) exchange.answer(200, json, list);
    }
    await running.done;
    expect(observations).toHaveLength(20);
    const ends = observations.map(({ outcome, index }) => [
      index,
      'cause' in outcome ? outcome.cause : outcome.kind,
    ]);
    expect(ends.filter(([, end]) => end === 'completed')).toHaveLength(16);
    expect(ends.filter(([, end]) => end !== 'completed')).toEqual([
      [16, 'patience'],
      [17, 'run-ended'],
      [18, 'run-ended'],
      [19, 'run-ended'],
    ]);
  });

  it('never exceeds the cap in flight, waiting requests included', () => {
    const { observations, world } = startPaced(constantLoad(20, 1000), { inFlight: 10 });
    world.advanceTo(900);
    expect(observations.filter(({ outcome }) => outcome.kind === 'dropped').length).toBe(9);
  });

  it('counts the request that checked each key', () => {
    const sentIn = (keysWereUsed: boolean): number => {
      const world = fakeWorld();
      const plan = fakePlan(constantLoad(300, 200), {
        pace: { ...pace, burst: 4 },
        deadlines,
        grace,
      });
      const { clock, transport } = world;
      const options = { ...fakeSliceOptions(plan, { index: 0, count: 1 }), keysWereUsed };
      void runSlice(options, { clock, transports: [transport], observe: () => undefined }).done;
      world.advanceTo(900);
      return world.sent.length;
    };
    expect([sentIn(false), sentIn(true)]).toEqual([8, 6]);
  });

  it('divides its limits among slices', () => {
    const sent = [0, 1, 2].map((index) => {
      const { world } = startPaced(
        constantLoad(300, 200),
        { pace: { ...pace, burst: 8 } },
        { index, count: 3 },
      );
      world.advanceTo(500);
      return world.sent.length;
    });
    expect(sent).toEqual([4, 2, 2]);
  });
});

describe('a pace for tokens', () => {
  const conversations = [[{ role: 'user' as const, content: 'x'.repeat(80) }]];
  const chat = {
    kind: 'chat',
    weight: 1,
    model: 'm',
    conversations,
    maxTokens: 30,
    body: {},
    price: null,
  } as const;
  const load = constantLoad(1000, 10);
  const tokens = { ...pace, requests: null, tokens: 120 };
  const started = (changes: Partial<Plan> = {}) =>
    startPaced(load, {
      pace: tokens,
      stages: [{ name: 'main', load, traffic: [chat] }],
      ...changes,
    });
  const completion = (prompt: number, output: number): string =>
    JSON.stringify({
      choices: [{ index: 0, message: { role: 'assistant', content: 'y' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: prompt, completion_tokens: output, total_tokens: prompt + output },
    });

  it('reserves a quarter of the prompt’s characters, ten for its template and the longest answer', () => {
    const { world, observations } = started();
    world.advanceTo(50);
    // 20 + 10 + 30 each: two for each of two keys.
    expect(world.sent).toHaveLength(4);
    world.sent[0]!.answer(200, json, completion(20, 30));
    expect(observations[0]).toMatchObject({
      reserved: 60,
      size: { characters: 80, maxTokens: 30 },
    });
    expect(world.sent).toHaveLength(4);
  });

  it('releases unused tokens at the end of the answer', () => {
    const { world, observations } = started();
    world.advanceTo(50);
    const [first] = world.sent;
    const { authorization } = first!.request.headers;
    first!.answer(200, json, completion(20, 5));
    expect(world.sent).toHaveLength(4);
    const second = world.sent
      .slice(1)
      .find(({ request }) => request.headers['authorization'] === authorization)!;
    second.answer(200, json, completion(20, 5));
    // 25 + 25 used leave room for one more of 60.
    expect(world.sent).toHaveLength(5);
    world.sent[4]!.answer(200, json, completion(20, 30));
    expect(observations[2]).toMatchObject({ released: 50, begun: 50 });
  });

  it('learns from the usage how many tokens a prompt of an entry has', () => {
    const { world, observations } = started();
    world.advanceTo(50);
    for (const exchange of world.sent.slice(0, 4)) exchange.answer(200, json, completion(60, 1));
    world.advanceTo(1200);
    // 60 + 10 + 30 each: one for each of two keys, where there were two.
    expect(world.sent).toHaveLength(6);
    for (const exchange of world.sent.slice(4)) exchange.answer(200, json, completion(60, 1));
    expect(observations.map(({ reserved }) => reserved)).toEqual([60, 60, 60, 60, 100, 100]);
  });

  it('keeps the whole reservation of a broken answer, and nothing of a refusal', () => {
    const { world } = started();
    world.advanceTo(50);
    for (const exchange of world.sent.slice(0, 4)) exchange.fail('reset');
    expect(world.sent).toHaveLength(4);
    const refused = started();
    refused.world.advanceTo(50);
    refused.world.sent[0]!.answer(400, json, '{}');
    expect(refused.world.sent).toHaveLength(5);
  });
});
