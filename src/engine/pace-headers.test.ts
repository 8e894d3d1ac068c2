// @gate 1 s
import { describe, expect, it } from 'vitest';
import type { Observation } from '../model/observation/observation.ts';
import type { Pace } from '../model/plan/pace.ts';
import { milliseconds } from '../model/quantity.ts';
import { constantLoad, fakePlan, startFakeRun } from './fake-run.fixture.ts';

type Headers = Readonly<Record<string, string>>;

const json = 'application/json';
const list = JSON.stringify({ object: 'list', data: [] });
const window = 10_000;
const limit = 20;
/** What somebody else uses of the key at the beginning of each window. */
const others = 10;
const started = Date.parse('2026-03-01T12:00:00Z');
const date = (now: number): string => new Date(started + now).toUTCString();

/** The pace of a scenario that declares the gateway's limit rightly. */
const pace: Pace = {
  requests: limit,
  tokens: null,
  window: milliseconds(window),
  margin: milliseconds(500),
  charged: 'ended',
  follows: ['requests', 'tokens'],
};

/** How families of headers say that `remaining` requests are left and that the window ends in `left` ms. */
const families: Readonly<
  Record<string, (remaining: number, left: number, now: number) => Headers>
> = {
  OpenAI: (remaining, left) => ({
    'x-ratelimit-limit-requests': String(limit * 6),
    'x-ratelimit-remaining-requests': String(remaining),
    'x-ratelimit-reset-requests': `${left / 1000}s`,
  }),
  'draft 7, combined': (remaining, left) => ({
    ratelimit: `limit=${limit}, remaining=${remaining}, reset=${Math.ceil(left / 1000)}`,
    'ratelimit-policy': `${limit};w=10`,
  }),
  Anthropic: (remaining, left, now) => ({
    date: date(now),
    'anthropic-ratelimit-requests-limit': String(limit * 6),
    'anthropic-ratelimit-requests-remaining': String(remaining),
    'anthropic-ratelimit-requests-reset': new Date(started + now + left).toISOString(),
  }),
  Kong: (remaining, left) => ({
    'x-ratelimit-limit-10': String(limit),
    'x-ratelimit-remaining-10': String(remaining),
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(Math.ceil(left / 1000)),
  }),
  GitHub: (remaining, left, now) => ({
    date: date(now),
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(Math.ceil((started + now + left) / 1000)),
  }),
  'nobody, for comparison': () => ({}),
};

/** Half a minute of more work than a key admits that somebody else uses, too. */
const runBeside = (headersOf: (typeof families)[string]) => {
  const load = constantLoad(8, 30_000);
  const deadlines = { connect: null, firstToken: null, idle: null, total: null };
  const { world, observations } = startFakeRun(fakePlan(load, { pace, deadlines, inFlight: 1000 }));
  const counts = new Map<string, number>();
  let answered = 0;
  for (let now = 1; now < 30_000; now += 1) {
    world.advanceTo(now);
    const left = window - (now % window);
    for (; answered < world.sent.length; answered += 1) {
      const exchange = world.sent[answered]!;
      const key = `${exchange.request.headers['authorization']} ${Math.floor(now / window)}`;
      const used = counts.get(key) ?? others;
      counts.set(key, Math.min(limit, used + 1));
      const said = headersOf(Math.max(0, limit - used - 1), left, now);
      if (used >= limit) exchange.answer(429, json, '{}', said);
      else exchange.answer(200, json, list, said);
    }
  }
  const ended = (kind: Observation['outcome']['kind']): number =>
    observations.filter(({ outcome }) => outcome.kind === kind).length;
  return { completed: ended('completed'), refused: ended('limited') };
};

describe('a pace that shares its keys with others', () => {
  it.each(Object.keys(families).slice(0, -1))(
    'is refused nothing and uses what is left, by the headers of %s',
    (name) => {
      const { completed, refused } = runBeside(families[name]!);
      expect(refused).toBe(0);
      // Two keys, three windows, ten left in each: 60.
      expect(completed).toBeGreaterThanOrEqual(50);
    },
  );

  it('is refused without such headers', () => {
    expect(runBeside(families['nobody, for comparison']!).refused).toBeGreaterThan(4);
  });
});

describe('a limit that the gateway declares', () => {
  const declared = { 'x-ratelimit-limit-minute': '30' };
  const sentIn = (changes: Partial<Pace>, headers: Headers): number => {
    const rule = { ...pace, requests: 100, burst: 100, ...changes };
    const { world } = startFakeRun(
      fakePlan(constantLoad(20, 10_000), { pace: rule, inFlight: 1000 }),
    );
    let answered = 0;
    for (let now = 1; now < 10_000; now += 1) {
      world.advanceTo(now);
      for (; answered < world.sent.length; answered += 1)
        world.sent[answered]!.answer(200, json, list, headers);
    }
    return world.sent.length;
  };

  it('lowers a pace that keeps the declared limit, and does not raise it', () => {
    // Thirty a minute are five in ten seconds, for each of two keys.
    expect(sentIn({}, declared)).toBe(10);
    expect(sentIn({}, { 'x-ratelimit-limit-minute': '6000' })).toBe(sentIn({}, {}));
  });

  it('does not change a rate of one’s own', () => {
    expect(sentIn({ follows: [] }, declared)).toBe(sentIn({ follows: [] }, {}));
  });

  it('is kept although the scenario knows of none', () => {
    expect(sentIn({ requests: null, burst: undefined }, declared)).toBe(10);
  });
});

describe('what a gateway still has', () => {
  it('counts no lag where the headers of an answer under way free a request', () => {
    const deadlines = { connect: null, firstToken: null, idle: null, total: null };
    const changes = { pace: { ...pace, requests: 100 }, deadlines, inFlight: 1000 };
    const { world, observations } = startFakeRun(fakePlan(constantLoad(4, 6000), changes));
    const said = (remaining: number) => ({
      ratelimit: `limit=20, remaining=${remaining}, reset=30`,
    });
    world.advanceTo(3000);
    const byKey = Map.groupBy(world.sent, ({ request }) => request.headers['authorization']);
    // Both keys have nothing left, and a request under way.
    for (const [first] of byKey.values()) first!.answer(200, json, list, said(0));
    const under = world.sent.find(({ isFinished }) => !isFinished);
    world.advanceTo(5000);
    const before = world.sent.length;
    under!.observer.onHeaders(world.clock.now(), 200, { 'content-type': json, ...said(15) });
    world.advanceTo(5002);
    expect(world.sent.length).toBeGreaterThan(before);
    for (const each of world.sent) if (!each.isFinished) each.answer(200, json, list);
    for (const { begun, released } of observations) expect(begun - released).toBeLessThanOrEqual(2);
  });
});
