import { describe, expect, it } from 'vitest';
import type { HeldStream } from '../reading/hang-up-facts.ts';
import { type HangUpServer, requests, serveHangUps } from './hang-up-server.fixture.ts';
import { examineHangUps, type HangUpPorts, type ServedLoad } from './hang-ups.ts';

type Change = (stream: HeldStream) => Partial<HeldStream>;

const fair: HangUpServer = { stops: true, slots: 3 };

/** A stream with changes; what it does not change stays as it is at that time. */
const changed = (stream: HeldStream, change: Change): HeldStream =>
  new Proxy(stream, {
    get: (_, name) => {
      const changes: object = change(stream);
      return Reflect.get(name in changes ? changes : stream, name);
    },
  });

/** Changes the long or the short answers, by their number from 1. */
const changing = (
  ports: HangUpPorts,
  which: keyof typeof requests,
  change: (number: number) => Change | undefined,
): HangUpPorts => {
  let number = 0;
  return {
    ...ports,
    open: (request) => {
      const stream = ports.open(request);
      if (request !== requests[which]) return stream;
      number += 1;
      const ofThis = change(number);
      return ofThis === undefined ? stream : changed(stream, ofThis);
    },
  };
};

/** Changes what each reading of the metrics says, by its number from 1. */
const loaded = (
  ports: HangUpPorts,
  change: (load: ServedLoad, number: number) => ServedLoad | null,
): HangUpPorts => {
  let number = 0;
  return {
    ...ports,
    load: async () => {
      number += 1;
      return change((await ports.load())!, number);
    },
  };
};

const examine = (ports: HangUpPorts) => examineHangUps(ports, requests);

describe('everything that is measured of hang-ups', () => {
  it('on a server that stops', async () => {
    expect(await examine(serveHangUps(fair))).toMatchInlineSnapshot(`
      {
        "charge": {
          "events": 6,
          "ofHangUp": 6,
          "ofWhole": 400,
          "promptTokens": null,
          "wholeEvents": 400,
        },
        "generation": {
          "idleAfter": 20,
          "lookedFor": 3940,
          "naturalRest": 3940,
          "tokensAfter": 0,
        },
        "slot": {
          "admitted": 3,
          "admittedAfter": 10,
          "namesInFlight": true,
          "naturalRest": 2440,
          "refusals": 5,
          "refusedFor": 1500,
          "triedFor": 10,
        },
      }
    `);
  });

  it('on a server that goes on', async () => {
    expect(await examine(serveHangUps({ ...fair, stops: false }))).toMatchInlineSnapshot(`
      {
        "charge": {
          "events": 6,
          "ofHangUp": 400,
          "ofWhole": 400,
          "promptTokens": null,
          "wholeEvents": 400,
        },
        "generation": {
          "idleAfter": 3940,
          "lookedFor": 3940,
          "naturalRest": 3940,
          "tokensAfter": 394,
        },
        "slot": {
          "admitted": 3,
          "admittedAfter": null,
          "namesInFlight": true,
          "naturalRest": 2440,
          "refusals": 5,
          "refusedFor": 1500,
          "triedFor": 2550,
        },
      }
    `);
  });
});

describe('an answer that cannot be hung up on', () => {
  it.each([
    [1, 500, 'a streamed chat was answered with status 500'],
    [1, null, 'a streamed chat was answered with nothing'],
    [2, 401, 'a second streamed chat was answered with status 401'],
  ])('is number %d with status %s', async (wanted, status, unseen) => {
    const ports = changing(serveHangUps(fair), 'long', (number) =>
      number === wanted ? () => ({ status }) : undefined,
    );
    expect(await examine(ports)).toEqual({
      slot: { unseen },
      generation: { unseen },
      charge: { unseen },
    });
  });

  it.each([
    [10, 200, 'took 2000 ms with 10 token events, too little to hang up on'],
    [148, 10, 'took 1480 ms with 148 token events, too little to hang up on'],
  ])('has too few events or too little time: %d events in %d ms each', async (...given) => {
    const [events, gap, reason] = given;
    const { slot } = await examine(serveHangUps({ ...fair, events, gap }));
    expect(slot).toEqual({ unseen: `a streamed chat of at most 400 tokens ${reason}` });
  });

  it.each([
    [11, 200],
    [150, 10],
  ])('is none of %d events, one each %d ms', async (events, gap) => {
    const { charge } = await examine(serveHangUps({ ...fair, events, gap }));
    expect(charge).toMatchObject({ wholeEvents: events });
  });
});

describe('the generation after a hang-up cannot be seen', () => {
  const generationOf = async (
    change: (load: ServedLoad, number: number) => ServedLoad | null,
    server = fair,
  ) => (await examine(loaded(serveHangUps(server), change))).generation;
  const none = 'no metrics of the server are known (a scenario names them: server.metrics)';

  it.each([
    ['without metrics before', 1],
    ['without metrics of a whole answer', 2],
    ['without metrics at the hang-up', 4],
  ])('%s', async (_, missing) => {
    const generation = await generationOf((load, number) => (number === missing ? null : load));
    expect(generation).toEqual({ unseen: none });
  });

  it('while others use the server, before or during the answer', async () => {
    const more = (from: number, to: number) => (load: ServedLoad, number: number) => ({
      ...load,
      running: load.running + (number >= from && number <= to ? 2 : 0),
    });
    const unseen = '2 other requests ran on the server';
    const one = await generationOf((load) => ({ ...load, running: load.running + 1 }));
    expect(one).toEqual({ unseen: '1 other request ran on the server' });
    expect(await generationOf(more(1, 1))).toEqual({ unseen });
    expect(await generationOf(more(2, 2))).toEqual({ unseen });
    expect(await generationOf(more(3, 3))).toEqual({ unseen });
    expect(await generationOf(more(4, 4))).toEqual({ unseen });
  });

  it('if the metrics show no stream that runs', async () => {
    const idle = (wanted: number) => (load: ServedLoad, number: number) =>
      number === wanted ? { ...load, running: 0 } : load;
    const unseen = 'the metrics did not show a stream that ran';
    expect(await generationOf(idle(2))).toEqual({ unseen });
    expect(await generationOf(idle(4))).toEqual({ unseen });
  });

  it('if more tokens are counted than the answer had left', async () => {
    // The answer had 394 left: 1.2 times as many and 16 more are 488.8.
    const counted = (tokens: number) => (load: ServedLoad, number: number) => ({
      ...load,
      outputTokens: number > 4 ? tokens : 0,
    });
    expect(await generationOf(counted(488))).toMatchObject({ tokensAfter: 488 });
    expect(await generationOf(counted(489))).toEqual({
      unseen: '489 tokens were counted after the hang-up, and the answer had 394 left',
    });
  });

  it('only in tokens if the server counts none, and never below zero', async () => {
    const uncounted = await generationOf((load) => ({ ...load, outputTokens: null }));
    expect(uncounted).toMatchObject({ idleAfter: 20, tokensAfter: null });
    const restarted = await generationOf((load, number) => ({
      ...load,
      outputTokens: number > 4 ? 0 : 100,
    }));
    expect(restarted).toMatchObject({ tokensAfter: 0 });
  });

  it('if a request runs long after the answer would have ended', async () => {
    // The rest is 3,940 ms: 1.3 times as long are 5,122 ms.
    const upTo = (last: number) => (load: ServedLoad, number: number) => ({
      ...load,
      running: number > 4 ? Number(number - 4 < last / 20) : load.running,
    });
    expect(await generationOf(upTo(5120))).toMatchObject({ idleAfter: 5120 });
    const unseen =
      'a request ran on long after the answer would have ended, so that it may be another one';
    expect(await generationOf(upTo(5140))).toEqual({ unseen });
    expect(await generationOf(upTo(1e6))).toEqual({ unseen });
  });
});

describe('the charge of a hang-up', () => {
  const chargeOf = async (remaining: readonly (number | null)[]) => {
    const ports = changing(serveHangUps(fair), 'short', (number) => () => {
      const tokens = remaining[number - 1] ?? null;
      const headers: HeldStream['headers'] =
        tokens === null
          ? {}
          : {
              'x-ratelimit-limit-tokens': '100000',
              'x-ratelimit-remaining-tokens': String(tokens),
            };
      return { headers };
    });
    return (await examine(ports)).charge;
  };
  /** The remaining tokens after charges, one after another. */
  const after = (...charges: readonly number[]): readonly number[] =>
    charges.reduce<readonly number[]>((all, each) => [...all, all.at(-1)! - each], [10_000]);

  it('leaves out what it costs to read it', async () => {
    const rest = { events: 6, wholeEvents: 400, promptTokens: null };
    expect(await chargeOf(after(20, 420, 120, 20))).toEqual({
      ofWhole: 400,
      ofHangUp: 100,
      ...rest,
    });
    expect(await chargeOf(after(0, 400, 0, 0))).toEqual({ ofWhole: 400, ofHangUp: 0, ...rest });
  });

  it('is unknown if an answer does not say what remains', async () => {
    const unseen = 'the answers do not say how many tokens remain';
    for (let missing = 0; missing < 5; missing += 1)
      expect(
        await chargeOf(after(20, 420, 120, 20).map((each, i) => (i === missing ? null : each))),
      ).toEqual({ unseen });
  });

  it.each([
    ['before', [-1, 420, 120, 20]],
    ['during a whole answer', [20, 19, 120, 20]],
    ['during the cut one', [20, 420, 19, 20]],
    ['afterwards', [20, 420, 120, -1]],
  ])('is unknown if the tokens rose %s', async (_, charges) => {
    expect(await chargeOf(after(...charges))).toEqual({
      unseen: 'the remaining tokens rose meanwhile: a window began, or a bucket refilled',
    });
  });

  it.each([
    [400, 20],
    [40, 2],
    [10, 2],
  ])('may differ after a whole answer of %d tokens by %d', async (whole, most) => {
    const charge = (others: number) => chargeOf(after(20, 20 + whole, 20, 20 + others));
    expect(await charge(most)).toMatchObject({ ofWhole: whole });
    expect(await charge(-most)).toMatchObject({ ofWhole: whole });
    expect(await charge(most + 1)).toEqual({
      unseen: `somebody else used the key: ${most + 1} tokens were charged in a time without a stream`,
    });
    expect(await charge(-most - 1)).toEqual({
      unseen: 'the remaining tokens rose meanwhile: a window began, or a bucket refilled',
    });
  });

  it('says nothing if a whole answer costs nothing', async () => {
    expect(await chargeOf(after(20, 20, 20, 20))).toEqual({
      unseen: 'the remaining tokens do not fall for a whole answer either',
    });
    expect(await chargeOf(after(20, 21, 20, 20))).toMatchObject({ ofWhole: 1 });
  });

  it('has the prompt that the whole answer reports', async () => {
    const ports = changing(serveHangUps(fair), 'long', () => () => ({
      text: '{"usage":{"prompt_tokens":31}}',
    }));
    expect((await examine(ports)).charge).toMatchObject({ promptTokens: 31 });
  });
});

describe('the slot of a stream', () => {
  const slotOf = async (ports: HangUpPorts) => (await examine(ports)).slot;
  /** Refuses the long answer with this number. */
  const refused = (wanted: number, changes: Partial<HeldStream>) =>
    changing(serveHangUps({ ...fair, slots: 99 }), 'long', (number) =>
      number === wanted
        ? () => ({ status: 429, text: '{}', headers: {}, events: 0, hasEnded: true, ...changes })
        : undefined,
    );

  it('is unknown if nothing is refused', async () => {
    expect(await slotOf(serveHangUps({ ...fair, slots: 10 }))).toEqual({
      unseen: '10 streams of the key ran at the same time, and none was refused',
    });
    expect(await slotOf(serveHangUps({ ...fair, slots: 9 }))).toMatchObject({ admitted: 9 });
  });

  it.each([429, 503])('is unknown if the first further stream gets a %d', async (status) => {
    expect(await slotOf(refused(3, { status }))).toEqual({
      unseen: `a streamed chat was answered with status ${status}`,
    });
  });

  it('is not asked for by another failure', async () => {
    expect(await slotOf(refused(5, { status: 500 }))).toEqual({
      unseen: '10 streams of the key ran at the same time, and none was refused',
    });
  });

  it.each([
    ['requests', { 'x-ratelimit-limit-requests': '9', 'x-ratelimit-remaining-requests': '0' }],
    ['tokens', { 'x-ratelimit-limit-tokens': '9', 'x-ratelimit-remaining-tokens': '0' }],
  ])('is unknown if no %s remain', async (_, headers: HeldStream['headers']) => {
    expect(await slotOf(refused(5, { headers }))).toEqual({
      unseen: 'the limit per minute is used up',
    });
  });

  it('is unknown if the refusal names another limit', async () => {
    const text = '{"error":{"message":"Rate limit reached: 9 requests per minute."}}';
    expect(await slotOf(refused(5, { text }))).toEqual({
      unseen: 'the refusal names a limit of requests',
    });
  });

  it('is unknown if a further chat is admitted meanwhile', async () => {
    expect(await slotOf(refused(5, {}))).toEqual({
      unseen: 'a further chat was admitted although all streams still ran',
    });
  });

  it.each([
    [150, 'the streams ended before it was clear that they used the slots'],
    [250, 'the streams are too short to tell a hang-up from their end'],
  ])('is unknown if an answer has %d events only', async (events, unseen) => {
    expect(await slotOf(serveHangUps({ ...fair, events }))).toEqual({ unseen });
  });

  it('is tried no more once the user stops', async () => {
    const ports = serveHangUps({ stops: false, slots: 3 });
    let shorts = 0;
    const stopping = {
      ...ports,
      open: (request: typeof requests.short) => {
        if (request === requests.short) shorts += 1;
        return ports.open(request);
      },
      isStopped: () => shorts > 11,
    };
    expect(await slotOf(stopping)).toMatchInlineSnapshot(`
      {
        "admitted": 3,
        "admittedAfter": null,
        "namesInFlight": true,
        "naturalRest": 2440,
        "refusals": 5,
        "refusedFor": 1500,
        "triedFor": 70,
      }
    `);
  });
});
