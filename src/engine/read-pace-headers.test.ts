import { describe, expect, it } from 'vitest';
import type { Pace } from '../model/plan/pace.ts';
import { milliseconds } from '../model/quantity.ts';
import { constantLoad, fakePlan, startFakeRun } from './fake-run.fixture.ts';
import { readKeyHeaders, ReportedRoom } from './pace-headers.ts';

type Headers = Readonly<Record<string, string>>;

const json = 'application/json';
const list = JSON.stringify({ object: 'list', data: [] });
const window = 10_000;
const pace: Pace = {
  requests: 100,
  tokens: null,
  window: milliseconds(window),
  margin: milliseconds(500),
  charged: 'ended',
  follows: ['requests', 'tokens'],
};

describe('a limit that the gateway declares', () => {
  it('of a second is also what goes at once', () => {
    const of = (headers: Headers) =>
      readKeyHeaders(headers, window, (amount) => amount)?.declared ?? null;
    expect(of({ 'x-ratelimit-limit-second': '5' })).toEqual({
      requests: 50,
      tokens: null,
      atOnce: 5,
    });
    expect(of({ 'anthropic-ratelimit-input-tokens-limit': '6000' })).toMatchObject({
      tokens: 1000,
    });
    expect(of({ 'ratelimit-limit': '20, 20;w=10' })).toEqual({
      requests: 20,
      tokens: null,
      atOnce: null,
    });
    // An hour says nothing of ten seconds; a bucket may be smaller than what a window admits.
    expect(of({ 'x-ratelimit-limit-hour': '500', 'x-ratelimit-limit': '3' })).toEqual({
      requests: null,
      tokens: null,
      atOnce: null,
    });
    expect(of({ 'content-type': json })).toBeNull();
  });
});

describe('what a gateway still has', () => {
  const now = 1000;
  const after = (headers: Headers, tokens = 1): number => {
    const room = new ReportedRoom();
    const booked = room.book(tokens);
    const { reported } = readKeyHeaders(headers, window, (amount) => amount)!;
    room.learn(reported, booked, { at: now, margin: 0 });
    return room.availableAt(tokens);
  };

  it.each<readonly [string, Headers, number]>([
    ['no requests', { ratelimit: 'limit=5, remaining=0, reset=30' }, now + 30_000],
    [
      'no tokens',
      { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '6m0s' },
      now + 360_000,
    ],
    [
      'nothing for the day',
      { 'x-ratelimit-remaining-requests-day': '0', 'x-ratelimit-reset-requests-day': '7200' },
      now + 7_200_000,
    ],
    ['a request', { ratelimit: 'limit=5, remaining=1, reset=30' }, Number.NEGATIVE_INFINITY],
    [
      'an unknown amount (Azure)',
      { 'x-ratelimit-remaining-requests': '-1', 'x-ratelimit-reset-requests': '30' },
      Number.NEGATIVE_INFINITY,
    ],
    ['nothing, without a reset', { 'x-ratelimit-remaining': '0' }, Number.NEGATIVE_INFINITY],
    [
      'no images',
      { 'x-ratelimit-remaining-images': '0', 'x-ratelimit-reset-images': '30' },
      Number.NEGATIVE_INFINITY,
    ],
  ])('admits the next request in time: %s', (_, headers, at) => {
    expect(after(headers)).toBe(at);
  });

  it('is counted from the newest request that it knows', () => {
    const room = new ReportedRoom();
    const [first, second] = [room.book(0), room.book(0)];
    const said = (remaining: number, reset: number) =>
      readKeyHeaders(
        { ratelimit: `limit=5, remaining=${remaining}, reset=${reset}` },
        window,
        (amount) => amount,
      )!.reported;
    room.learn(said(3, 30), second, { at: now, margin: 0 });
    // An older answer that comes late knows nothing of the second request.
    room.learn(said(0, 90), first, { at: now + 1, margin: 0 });
    expect(room.availableAt(0)).toBe(Number.NEGATIVE_INFINITY);
    for (let each = 0; each < 3; each += 1) room.book(0);
    expect(room.availableAt(0)).toBe(now + 30_000);
  });

  it('never shortens the wait that a refusal names', () => {
    const deadlines = { connect: null, firstToken: null, idle: null, total: null };
    const changes = { pace, deadlines, inFlight: 1000 };
    const { world } = startFakeRun(fakePlan(constantLoad(10, 9000), changes));
    const remaining = { ratelimit: 'limit=20, remaining=19, reset=1' };
    world.advanceTo(300);
    const refusedAt = 300;
    const keyOf = ({ request }: (typeof world.sent)[number]) => request.headers['authorization'];
    const [first] = world.sent;
    first!.answer(429, json, '{}', { ...remaining, 'retry-after': '5' });
    let answered = 1;
    for (let time = 301; time < 9000; time += 1) {
      world.advanceTo(time);
      for (; answered < world.sent.length; answered += 1)
        world.sent[answered]!.answer(200, json, list, remaining);
    }
    const later = world.sent.filter((each) => keyOf(each) === keyOf(first!) && each.at > refusedAt);
    expect(later[0]!.at).toBeGreaterThanOrEqual(refusedAt + 5000);
  });

  it('does not lengthen the wait that a refusal names', () => {
    const deadlines = { connect: null, firstToken: null, idle: null, total: null };
    const { world } = startFakeRun(
      fakePlan(constantLoad(10, 9000), { pace, deadlines, inFlight: 1000 }),
    );
    world.advanceTo(300);
    const keyOf = ({ request }: (typeof world.sent)[number]) => request.headers['authorization'];
    const [first] = world.sent;
    // The reset comes six seconds after the wait.
    first!.answer(429, json, '{}', {
      ratelimit: 'limit=20, remaining=0, reset=8',
      'retry-after': '2',
    });
    world.advanceTo(4000);
    const [next] = world.sent.filter((each) => keyOf(each) === keyOf(first!) && each.at > 300);
    expect(next?.at).toBeGreaterThanOrEqual(2300);
    expect(next?.at).toBeLessThan(4000);
  });
});
