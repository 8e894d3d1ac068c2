import { describe, expect, it } from 'vitest';
import type { Transport } from '../model/observation/exchange.ts';
import type { Observation } from '../model/observation/observation.ts';
import type { Load, Plan } from '../model/plan/plan.ts';
import { milliseconds } from '../model/quantity.ts';
import { fakeWorld } from './fake-world.fixture.ts';
import { sampleTraceLoad } from '../model/workload/sample-trace.fixture.ts';
import { constantLoad, fakePlan, startFakeRun, usersAtOnce } from './fake-run.fixture.ts';

const json = 'application/json';
const noDeadlines = { connect: null, firstToken: null, idle: null, total: null };

const outcomes = (observations: readonly Observation[]): string[] =>
  observations.map(({ outcome }) =>
    'cause' in outcome ? `${outcome.kind} ${outcome.cause}` : outcome.kind,
  );

describe('a trace', () => {
  const traffic = {
    kind: 'chat',
    weight: 1,
    model: 'm',
    conversations: { kind: 'trace', system: null },
    maxTokens: 2,
    body: {},
    price: null,
  } as const;
  const plan = fakePlan(sampleTraceLoad, {
    stages: [{ name: 'main', load: sampleTraceLoad, traffic: [traffic] }],
  });

  it('sends each request when it is due, with the tokens of its row up to the entry’s limit', () => {
    const { world } = startFakeRun(plan);
    world.advanceTo(1000);
    expect(world.sent.map(({ at }) => at)).toEqual([1, 251, 251]);
    const bodies = world.sent.map(({ request }): unknown => JSON.parse(String(request.body)));
    expect(bodies).toMatchObject([
      { messages: [{ content: 'trace 0 0' }], max_tokens: 1 },
      { messages: [{ content: 'trace 0 1' }], max_tokens: 2 },
      { messages: [{ content: 'trace 0 2' }], max_tokens: 2 },
    ]);
  });

  it('is the same for two slices as for one, to the fraction of a millisecond', () => {
    const due = [0, 1].flatMap((index) => {
      const { world, observations, answerAll } = startFakeRun(plan, { index, count: 2 });
      world.advanceTo(1000);
      answerAll();
      return observations.map((one) => [one.index, one.due]);
    });
    expect(due).toEqual([
      [0, 0],
      [2, 250.5],
      [1, 250.5],
    ]);
  });
});

it('requests that fail while they begin do not begin others within that turn', async () => {
  // Each takes a millisecond, so that the load of a second ends.
  const world = fakeWorld({ sendTakes: 1 });
  let depth = 0;
  let deepest = 0;
  const transport: Transport = {
    ...world.transport,
    send: (request, observer) => {
      depth += 1;
      deepest = Math.max(deepest, depth);
      const exchange = world.transport.send(request, observer);
      world.sent.at(-1)!.fail('connect-refused');
      depth -= 1;
      return exchange;
    },
  };
  const { running, observations } = startFakeRun(
    fakePlan(usersAtOnce(3), { deadlines: noDeadlines }),
    undefined,
    { ...world, transport },
  );
  world.advanceTo(5);
  running.stop(milliseconds(0));
  await running.done;
  expect(deepest).toBe(1);
  expect(observations.length).toBeGreaterThan(3);
});

describe('a slice with a lease', () => {
  const plan = fakePlan(constantLoad(10, 5000), { deadlines: noDeadlines });

  it('sends nothing after it, and aborts what is in flight', async () => {
    const { world, running, observations } = startFakeRun(plan, undefined, undefined, {
      isLeaseOver: (now) => now > 450,
    });
    world.advanceTo(2000);
    expect(world.sent).toHaveLength(5);
    expect(await running.done).toMatchObject({ stopped: true, lostLease: true });
    expect(outcomes(observations)).toEqual(Array.from({ length: 5 }, () => 'broken aborted'));
  });

  it('sends nothing of what became due while the process was halted', async () => {
    const world = fakeWorld({ sendTakes: 1000 });
    const { running } = startFakeRun(plan, undefined, world, { isLeaseOver: (now) => now > 900 });
    world.advanceTo(3000);
    expect(world.sent).toHaveLength(1);
    expect(await running.done).toMatchObject({ lostLease: true });
  });

  it('ends as ever while somebody extends it', async () => {
    const { world, running, answerAll } = startFakeRun(plan, undefined, undefined, {
      isLeaseOver: () => false,
    });
    world.advanceTo(5000);
    answerAll();
    world.advanceTo(5100);
    expect(world.sent).toHaveLength(50);
    expect(await running.done).toMatchObject({ stopped: false, lostLease: false });
  });
});

describe('an open loop', () => {
  it('begins every arrival when it is due, whether or not earlier ones are answered', () => {
    const { world } = startFakeRun(fakePlan(constantLoad(10, 1000)));
    world.advanceTo(1000);
    expect(world.sent.map(({ at }) => at)).toEqual([
      1, 100, 200, 300, 400, 500, 600, 700, 800, 900,
    ]);
  });

  it('keeps the due instant of an arrival that it began late, so that lag is begun − released', () => {
    const { observations, answerAll, world } = startFakeRun(fakePlan(constantLoad(10, 1000)));
    world.advanceTo(1);
    answerAll();
    expect(observations[0]).toMatchObject({ due: 0, released: 0, begun: 1, sent: 1, ended: 1 });
  });

  it('begins what is due in a data callback, without waiting for the timer', () => {
    const { world } = startFakeRun(fakePlan(constantLoad(1000, 10)));
    world.advanceTo(1);
    const before = world.sent.length;
    // Time moves while no timer fires: only the answer's read can notice.
    Object.assign(world.clock, { now: () => 5 });
    world.sent[0]!.observer.onChunk(5 as never, new TextEncoder().encode('{'));
    expect(world.sent.length).toBeGreaterThan(before);
  });

  it('begins many arrivals that are due together in turns that grow from a millisecond, and none twice', () => {
    const world = fakeWorld({ sendTakes: 0.3 });
    startFakeRun(fakePlan(constantLoad(1e6, 1)), undefined, world);
    const turns: number[] = [];
    for (let before = 0; before < 100;) {
      world.advanceTo(world.clock.now() + 0.001);
      turns.push(world.sent.length - before);
      before = world.sent.length;
    }
    expect(Math.max(...turns.slice(0, 12))).toBe(4);
    // A turn after 28 ms takes 28²/300 ms.
    expect(Math.max(...turns)).toBe(9);
    expect(new Set(world.sent.map(({ request }) => request.headers['x-request-id'])).size).toBe(
      100,
    );
  });

  it('drops and counts an arrival above the cap in flight, and does not queue it', async () => {
    const { world, running, observations, answerAll } = startFakeRun(
      fakePlan(constantLoad(10, 1000), { inFlight: 3, deadlines: noDeadlines }),
    );
    world.advanceTo(1000);
    answerAll();
    world.advanceTo(1100);
    await running.done;
    expect(outcomes(observations).filter((o) => o === 'dropped saturated')).toHaveLength(7);
    expect(observations).toHaveLength(10);
  });

  it('sends every request with a key, a request id and the plan’s headers', () => {
    const { world } = startFakeRun(fakePlan(constantLoad(10, 1000)));
    world.advanceTo(250);
    expect(world.sent.map(({ request }) => request.headers['x-request-id'])).toEqual([
      'r-0-0',
      'r-0-1',
      'r-0-2',
    ]);
    for (const { request } of world.sent) {
      expect(request.headers['authorization']).toMatch(/^Bearer key-[ab]$/);
      expect(request.headers).toMatchObject({ 'user-agent': 'weir/test', 'x-team': 'blue' });
    }
  });

  it('sends the key alone in the header that the plan names', () => {
    const auth = { header: 'api-key' };
    const { world } = startFakeRun(fakePlan(constantLoad(10, 1000), { auth }));
    world.advanceTo(250);
    for (const { request } of world.sent) {
      expect(request.headers['api-key']).toMatch(/^key-[ab]$/);
      expect(request.headers).not.toHaveProperty('authorization');
    }
    expect(world.sent).toHaveLength(3);
  });

  it('sends the same requests for any number of slices', () => {
    const plan = fakePlan(constantLoad(50, 1000));
    const requestsOf = (index: number, count: number): string[] => {
      const { world } = startFakeRun(plan, { index, count });
      world.advanceTo(1000);
      return world.sent.map(({ request }) => JSON.stringify(request));
    };
    const whole = requestsOf(0, 1);
    const parts = [0, 1, 2].flatMap((index) => requestsOf(index, 3));
    expect([...parts].sort()).toEqual([...whole].sort());
    expect(whole).toHaveLength(50);
  });
});

describe('a closed loop', () => {
  const users: Load = {
    kind: 'closed',
    users: 2,
    duration: milliseconds(1000),
    thinkTime: milliseconds(100),
    rampUp: milliseconds(0),
  };

  it('sends a user’s next request only after its answer and its think time', () => {
    const { world, answerAll } = startFakeRun(fakePlan(users));
    world.advanceTo(1);
    expect(world.sent).toHaveLength(2);
    world.advanceTo(50);
    answerAll();
    world.advanceTo(149);
    expect(world.sent).toHaveLength(2);
    world.advanceTo(150);
    expect(world.sent).toHaveLength(4);
  });

  it('numbers requests by iteration × users + user', () => {
    const { world, answerAll } = startFakeRun(fakePlan(users));
    for (let time = 1; time < 300; time += 1) {
      world.advanceTo(time);
      answerAll();
    }
    expect(world.sent.map(({ request }) => request.headers['x-request-id'])).toEqual([
      'r-0-0',
      'r-0-1',
      'r-0-2',
      'r-0-3',
      'r-0-4',
      'r-0-5',
    ]);
  });

  it('ends when the time is over and every user has an answer', async () => {
    const { world, running, observations, answerAll } = startFakeRun(fakePlan(users));
    for (let time = 1; time < 1200; time += 1) {
      world.advanceTo(time);
      answerAll();
    }
    expect(await running.done).toMatchObject({ stopped: false, loadEnded: 1000 });
    // Each of the 2 users asks every 100 ms.
    expect(observations).toHaveLength(20);
    expect(Math.max(...observations.map(({ begun }) => begun))).toBeLessThan(1000);
  });

  it('shares a number of iterations among all users', async () => {
    const { world, running, observations, answerAll } = startFakeRun(
      fakePlan({
        kind: 'iterations',
        users: 3,
        iterations: 10,
        maxDuration: milliseconds(60_000),
        thinkTime: milliseconds(0),
      }),
    );
    for (let time = 1; time < 100; time += 1) {
      world.advanceTo(time);
      answerAll();
    }
    const { loadEnded } = await running.done;
    expect(loadEnded).toBeLessThan(100);
    expect(observations.map(({ index }) => index).sort((a, b) => a - b)).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
    ]);
  });
});

describe('a stream that the server keeps open after its end', () => {
  const streams = (load: Load): Plan => {
    const plan = fakePlan(load, { deadlines: noDeadlines });
    const conversations = [[{ role: 'user' as const, content: 'hi' }]];
    const traffic = [
      {
        kind: 'chat-stream',
        weight: 1,
        model: 'm',
        conversations,
        maxTokens: null,
        body: {},
        price: null,
      },
    ] as const;
    return { ...plan, stages: [{ name: 'main', load, traffic: [...traffic] }] };
  };
  const answer =
    'data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

  it('is aborted, ends with its answer, and frees its user only then, without lag', () => {
    const { world, observations } = startFakeRun(
      streams({
        kind: 'closed',
        users: 1,
        duration: milliseconds(10_000),
        thinkTime: milliseconds(0),
        rampUp: milliseconds(0),
      }),
    );
    world.advanceTo(1);
    const { observer } = world.sent[0]!;
    observer.onHeaders(world.clock.now(), 200, { 'content-type': 'text/event-stream' });
    observer.onChunk(world.clock.now(), new TextEncoder().encode(answer));
    // Pings must not keep it alive.
    for (let time = 100; time <= 500; time += 100) {
      world.advanceTo(time);
      if (!world.sent[0]!.isFinished) {
        observer.onChunk(world.clock.now(), new TextEncoder().encode(': ping\n\n'));
      }
    }
    expect(world.sent[0]!.aborted).toBe('aborted');
    expect(observations[0]).toMatchObject({
      ended: 1,
      outcome: { kind: 'completed', answer: { notes: ['cut-after-done'] } },
    });
    expect(world.sent).toHaveLength(2);
    const freed = world.sent[1]!.at;
    expect(freed).toBeGreaterThan(250);
    world.sent[1]!.answer(500, json, '{}');
    expect(observations[1]!.begun - observations[1]!.due).toBeLessThanOrEqual(1);
  });
});

describe('deadlines', () => {
  it('abort an exchange without a first byte', () => {
    const { world, observations } = startFakeRun(fakePlan(constantLoad(1, 1000)));
    world.advanceTo(300);
    expect(outcomes(observations)).toEqual(['broken deadline-first-token']);
    expect(observations[0]!.ended).toBeLessThanOrEqual(1 + 200 + 20);
  });

  it('abort an exchange without further bytes', () => {
    const { world, observations } = startFakeRun(fakePlan(constantLoad(1, 1000)));
    world.advanceTo(100);
    const { observer } = world.sent[0]!;
    observer.onHeaders(world.clock.now(), 200, { 'content-type': json });
    observer.onChunk(world.clock.now(), new TextEncoder().encode('{'));
    world.advanceTo(400);
    expect(outcomes(observations)).toEqual(['broken deadline-idle']);
  });

  it('abort an exchange that takes too long', () => {
    const { world, observations } = startFakeRun(fakePlan(constantLoad(1, 1000)));
    world.advanceTo(1);
    const { observer } = world.sent[0]!;
    observer.onHeaders(world.clock.now(), 200, { 'content-type': json });
    for (let time = 50; time < 1100; time += 50) {
      world.advanceTo(time);
      observer.onChunk(world.clock.now(), new TextEncoder().encode(' '));
    }
    expect(outcomes(observations)).toEqual(['broken deadline-total']);
  });
});

describe('the end of a run', () => {
  it('gives unfinished requests the grace period and then aborts them', async () => {
    const { world, running, observations } = startFakeRun(
      fakePlan(constantLoad(10, 1000), { deadlines: noDeadlines }),
    );
    world.advanceTo(1300);
    expect(observations).toHaveLength(0);
    world.advanceTo(1600);
    await running.done;
    expect(new Set(outcomes(observations))).toEqual(new Set(['broken aborted']));
    expect(observations).toHaveLength(10);
    expect(observations[0]!.outcome).toMatchObject({
      detail: 'unfinished when the run’s grace period ended',
    });
  });

  it('is when the grace of a stop ends, not later', () => {
    const { world, running, observations } = startFakeRun(
      fakePlan(constantLoad(10, 10_000), { deadlines: noDeadlines }),
    );
    world.advanceTo(500);
    running.stop(milliseconds(100));
    world.advanceTo(599);
    expect(observations).toEqual([]);
    world.advanceTo(600);
    expect(observations).toHaveLength(6);
    expect(observations[0]!.outcome).toMatchObject({
      detail: 'unfinished when the run was stopped',
    });
  });

  it('comes early when the run is stopped, and reports that arrivals were left out', async () => {
    const { world, running, observations, answerAll } = startFakeRun(
      fakePlan(constantLoad(10, 10_000)),
    );
    world.advanceTo(500);
    running.stop(milliseconds(100));
    answerAll();
    world.advanceTo(700);
    expect(await running.done).toMatchObject({ stopped: true, loadEnded: 500 });
    expect(observations).toHaveLength(6);
  });
});

describe('a slice that is stopped', () => {
  const plan = fakePlan(constantLoad(10, 1000), { deadlines: noDeadlines });
  const ends = {
    stop: (running: ReturnType<typeof startFakeRun>['running']) => running.stop(milliseconds(100)),
    endLoad: (running: ReturnType<typeof startFakeRun>['running']) => running.endLoad(),
  };

  it.each(['stop', 'endLoad'] as const)(
    'by %s has begun everything that was due by then, and nothing after it',
    async (way) => {
      const { world, running, answerAll, observations } = startFakeRun(plan);
      world.advanceTo(150);
      // Time goes on while no alarm rings.
      const { now } = world.clock;
      Object.assign(world.clock, { now: () => 350 });
      ends[way](running);
      Object.assign(world.clock, { now });
      expect(world.sent).toHaveLength(4);
      expect(running.progress().due).toBe(4);
      answerAll();
      world.advanceTo(1500);
      await running.done;
      expect(observations.map(({ due }) => due)).toEqual([0, 100, 200, 300]);
    },
  );

  it('says what its transports noted, once each, whose words they are', async () => {
    const world = fakeWorld();
    Object.assign(world.transport, { notes: () => ['kept short', 'kept short', 'reused'] });
    const { running, answerAll } = startFakeRun(plan, undefined, world);
    world.advanceTo(1000);
    expect(world.listeners()).toBeGreaterThan(0);
    answerAll();
    world.advanceTo(1200);
    expect((await running.done).notes).toEqual(['kept short', 'reused']);
    // No alarm rings after the end.
    expect(world.listeners()).toBe(0);
  });
});

describe('a slice with a budget', () => {
  const budget = { requests: 3, tokens: null, cost: null };

  it('drops the request that no longer fits, sends no more, and ends with those in flight', async () => {
    const plan = fakePlan(constantLoad(10, 5000), { budget, deadlines: noDeadlines });
    const { world, running, observations, answerAll } = startFakeRun(plan);
    world.advanceTo(400);
    expect(world.sent).toHaveLength(3);
    expect(outcomes(observations)).toEqual(['dropped run-ended']);
    answerAll();
    world.advanceTo(2000);
    const { spent, stopped, loadEnded } = await running.done;
    expect([spent, stopped]).toEqual(['requests', true]);
    expect(loadEnded).toBeLessThan(500);
    expect(outcomes(observations)).toEqual([
      'dropped run-ended',
      'completed',
      'completed',
      'completed',
    ]);
  });

  it('is not stopped by a budget that suffices', async () => {
    const plan = fakePlan(constantLoad(10, 300), { budget, deadlines: noDeadlines });
    const { world, running, answerAll } = startFakeRun(plan);
    world.advanceTo(400);
    expect(world.sent).toHaveLength(3);
    answerAll();
    world.advanceTo(1000);
    expect(await running.done).toMatchObject({ spent: null, stopped: false });
  });
});
