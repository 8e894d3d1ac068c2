import { describe, expect, it } from 'vitest';
import type { Load, Plan } from '../../model/plan/plan.ts';
import { milliseconds, instant } from '../../model/quantity.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import type { Traffic } from '../../model/workload/traffic.ts';
import { estimatedRequests, forecastPlan, PaceForecaster } from './forecast-plan.ts';
import { constantLoad } from '../fake-run.fixture.ts';

const never = (): never => {
  throw new Error('the plan has no files');
};

const forecast = (load: Load, changes: Partial<Plan> = {}) => {
  const plan = samplePlan(changes);
  const stages = plan.stages.map((stage) => ({ ...stage, load }));
  return forecastPlan({
    plan: { ...plan, stages },
    clips: { clipsOf: never },
    workload: { chatContentFor: never, traceOf: never },
    answerTime: milliseconds(500),
  });
};

const users: Load = {
  kind: 'closed',
  users: 3,
  thinkTime: milliseconds(500),
  duration: milliseconds(4500),
  rampUp: milliseconds(0),
};

describe('the forecast of a plan', () => {
  it('is exact for scheduled requests, an upper bound for answers and an estimate for plain prompts', () => {
    const { total, groups, limits } = forecast(constantLoad(3, 25_000));
    // “Say yes.” is three tokens.
    expect(total).toEqual({
      requests: { sum: 75, basis: 'exact', unknown: 0 },
      input: { sum: 225, basis: 'estimate', unknown: 0 },
      output: { sum: 1200, basis: 'at-most', unknown: 0 },
      cost: { sum: 0, basis: 'estimate', unknown: 75 },
    });
    expect(groups.reduce((sum, { measured }) => sum + measured, 0)).toBe(69);
    expect(limits.all).toEqual({ requests: 75, tokens: 75 * 19 });
    expect(limits.keys.reduce((sum, { requests }) => sum + requests, 0)).toBe(75);
  });

  it('prices cached prompts as the earlier result of the same kind and model did', () => {
    const [stage] = samplePlan().stages;
    const price = { input: 3_000_000, cachedInput: 0, output: 0 };
    const traffic = stage!.traffic.map((entry) => ({ ...entry, price }) as Traffic);
    const plan = samplePlan({ stages: [{ ...stage!, load: constantLoad(3, 2000), traffic }] });
    const share = {
      traffic: 'chat',
      model: 'publisher/model-8b',
      cached: 1,
      written: 0,
      answers: 1,
    };
    const costs = (...cachedShares: readonly object[]): readonly unknown[] => {
      const { groups } = forecastPlan({
        plan,
        clips: { clipsOf: never },
        workload: { chatContentFor: never, traceOf: never },
        answerTime: milliseconds(500),
        cachedShares: cachedShares as readonly (typeof share & { readonly traffic: 'chat' })[],
      });
      const ofKind = (kind: string): number =>
        groups.filter((each) => each.traffic === kind).reduce((sum, { cost }) => sum + cost.sum, 0);
      const [chats, streams] = ['chat', 'chat-stream'].map(
        (kind) =>
          ofKind(kind) /
          groups
            .filter((each) => each.traffic === kind)
            .reduce((sum, { requests }) => sum + requests.sum, 0),
      );
      return [chats, streams];
    };
    // Three tokens for 3 each, unless all of them come from the cache for nothing.
    expect(costs()).toEqual([9, 9]);
    expect(costs(share)).toEqual([0, 9]);
    expect(costs({ ...share, traffic: 'chat-stream' })).toEqual([9, 0]);
    expect(costs({ ...share, model: 'another' })).toEqual([9, 9]);
  });

  it('names the entries that have a name', () => {
    const [stage] = samplePlan().stages;
    const [chat, stream] = stage!.traffic;
    const traffic = [{ ...chat!, name: 'short' }, stream!];
    const { groups } = forecast(constantLoad(3, 25_000), { stages: [{ ...stage!, traffic }] });
    expect(new Set(groups.map(({ traffic: kind, entry }) => `${kind} ${entry}`))).toEqual(
      new Set(['chat short', 'chat-stream null']),
    );
  });

  it('assumes the given answer time for users', () => {
    const { total, answerTime, lookedInto } = forecast(users);
    expect(total.requests).toEqual({ sum: 15, basis: 'estimate', unknown: 0 });
    expect([answerTime, lookedInto]).toEqual([500, 1]);
  });

  it('is about what each kind of load sends', () => {
    const saturate = { kind: 'saturate', connections: 4, duration: 3000 } as Load;
    expect(estimatedRequests(saturate, 500)).toBe(24);
    expect(estimatedRequests(users, 500)).toBe(13.5);
    expect(estimatedRequests(constantLoad(3, 1000), 500)).toBe(0);
  });

  it('is at most what is due in the last stage of a load that may end early', () => {
    const [stage] = samplePlan().stages;
    const stages = [stage!, { ...stage!, name: 'last' }];
    const until = { decided: 'sure' } as never;
    const { groups } = forecast(constantLoad(3, 2000), { stages, until });
    const bases = groups.map((each) => `${each.stage} ${each.requests.basis}`);
    expect(new Set(bases)).toEqual(new Set(['steady exact', 'last at-most']));
    expect(forecast(users, { until }).total.requests.basis).toBe('estimate');
  });

  it('never exceeds a shared number of requests', () => {
    const shared: Load = {
      kind: 'iterations',
      users: 4,
      iterations: 30,
      thinkTime: milliseconds(0),
      maxDuration: milliseconds(60_000),
    };
    expect(forecast(shared).total.requests).toEqual({ sum: 30, basis: 'at-most', unknown: 0 });
    const soon = { ...shared, maxDuration: milliseconds(1000) };
    expect(forecast(soon).total.requests.sum).toBe(8);
  });

  it('counts the pieces of a split text, each with its own length', () => {
    const speech: Traffic = {
      kind: 'speech',
      weight: 1,
      model: 's',
      voice: 'v',
      format: 'mp3',
      speed: null,
      texts: ['12345', '123', '1'],
      split: { characters: 5 },
      body: {},
    };
    const stages = samplePlan().stages.map((stage) => ({ ...stage, traffic: [speech] }));
    // Three times through 9 characters at 15 millionths each.
    const { requests, cost } = forecast(constantLoad(9, 1000), { stages }).total;
    expect([requests.sum, cost.sum, cost.basis]).toEqual([9, 3 * 9 * 15, 'exact']);
  });

  it('samples some of very many requests', () => {
    const { total, lookedInto } = forecast(constantLoad(10_000, 20_000));
    expect(lookedInto).toBe(4);
    expect(total.requests).toEqual({ sum: 200_000, basis: 'exact', unknown: 0 });
    expect(total.input).toEqual({ sum: 600_000, basis: 'estimate', unknown: 0 });
  });

  it('names the limit that binds and the number of keys that suffices', () => {
    const limits = { requestsPerMinute: 20, tokensPerMinute: 100, limiter: null };
    expect(forecast(constantLoad(3, 25_000), { limits }).limits).toMatchObject({
      binds: 'tokens',
      keysNeeded: 15,
      exceeded: expect.arrayContaining(['main', 'spare']) as unknown,
    });
    const undeclared = { requestsPerMinute: null, tokensPerMinute: null, limiter: null };
    expect(forecast(constantLoad(3, 25_000), { limits: undeclared }).limits).toMatchObject({
      binds: null,
      keysNeeded: null,
      exceeded: [],
    });
  });

  it('are those of each key that has its own', () => {
    const limits = { requestsPerMinute: null, tokensPerMinute: null, limiter: null };
    const { keys } = samplePlan();
    const own = (requestsPerMinute: number) => ({ requestsPerMinute, tokensPerMinute: null });
    const of = (main: number, spare: number) =>
      forecast(constantLoad(3, 25_000), {
        limits,
        keys: [
          { ...keys[0]!, limits: own(main) },
          { ...keys[1]!, limits: own(spare) },
        ],
      }).limits;
    expect(of(1000, 1).exceeded).toEqual([keys[1]!.name]);
    // 75 requests, where two keys have 30 together.
    expect(of(10, 20)).toMatchObject({ binds: 'requests', keysNeeded: 5 });
  });
});

const pace = {
  requests: 10,
  tokens: 1000,
  charged: 'ended' as const,
  window: milliseconds(10_000),
  margin: milliseconds(500),
};

/** Two keys, 25 s of load and 10 s of grace. */
const boundOf = (requests: number, tokens: number, burst?: number) => {
  const bound = new PaceForecaster(samplePlan({ pace: { ...pace, burst } }));
  for (let n = 0; n < requests; n += 1) bound.add(instant(n), tokens);
  return bound.forecast();
};

describe('the shortest wait under a pace', () => {
  it('is 0 while all requests fit into one window', () => {
    expect(boundOf(20, 10)).toMatchObject({ lastRelease: 19, longestWait: 0, unsendable: 0 });
  });

  it('is one window for each that all keys have filled, up to the end of the run', () => {
    expect(boundOf(21, 10)).toMatchObject({ lastRelease: 10_500, longestWait: 10_480 });
    expect(boundOf(80, 10)).toMatchObject({ lastRelease: 31_519, unsendable: 0 });
    expect(boundOf(85, 10)).toMatchObject({ unsendable: 5 });
  });

  it('counts what is released at or after the end, or later than a request may take, as unsendable', () => {
    // Twenty requests fit at once; the 21st is released 10.5 s later.
    const unsendable = (grace: number, total: number | null, requests = 21) => {
      const { deadlines } = samplePlan();
      const bound = new PaceForecaster(
        samplePlan({
          pace,
          grace: milliseconds(grace),
          deadlines: { ...deadlines, total: total === null ? null : milliseconds(total) },
        }),
      );
      for (let n = 0; n < requests; n += 1) bound.add(instant(0), 1);
      return bound.forecast()!.unsendable;
    };
    expect([10_499, 10_500, null].map((total) => unsendable(10_000, total))).toEqual([1, 0, 0]);
    // The 61st is released 31.5 s after the begin, 6.5 s after the end of the load.
    expect([6499, 6500, 6501].map((grace) => unsendable(grace, null, 61))).toEqual([1, 1, 0]);
  });

  it('has as many requests at once as the burst of all keys, and as many again when the limit allows them', () => {
    expect(boundOf(4, 10, 2)).toMatchObject({ lastRelease: 3, longestWait: 0 });
    // Two of ten requests in 10.5 s.
    expect(boundOf(5, 10, 2)).toMatchObject({ lastRelease: 2100, longestWait: 2096 });
  });

  it('adds the limits of keys that have their own', () => {
    const keys = [
      { requests: 4, tokens: 100 },
      { requests: 16, tokens: 400 },
    ];
    const bound = new PaceForecaster(samplePlan({ pace: { ...pace, keys } }));
    for (let n = 0; n < 21; n += 1) bound.add(instant(n), 50);
    expect(bound.forecast()).toMatchObject({ lastRelease: 10_500, tokenTime: 21_000 });
    // Once in 2,625 ms a burst of one and one of two.
    const bursts = keys.map((key, place) => ({ ...key, burst: place + 1 }));
    const spread = new PaceForecaster(samplePlan({ pace: { ...pace, keys: bursts } }));
    for (let n = 0; n < 4; n += 1) spread.add(instant(n), 1);
    expect(spread.forecast()).toMatchObject({ lastRelease: 1312.5 });
  });

  it('reports the wait for tokens separately', () => {
    expect(boundOf(20, 250)).toMatchObject({ lastRelease: 19, tokenTime: 21_000 });
  });

  it('is 0 under a pace that limits tokens only, and a whole window for each that tokens fill', () => {
    const tokens = new PaceForecaster(samplePlan({ pace: { ...pace, requests: null } }));
    for (let n = 0; n < 40; n += 1) tokens.add(instant(0), 50);
    // Two keys have 2,000 in a window.
    expect(tokens.forecast()).toMatchObject({ longestWait: 0, tokenTime: 0 });
    tokens.add(instant(0), 1);
    expect(tokens.forecast()).toMatchObject({ longestWait: 0, tokenTime: 10_500 });
    const requests = new PaceForecaster(samplePlan({ pace: { ...pace, tokens: null } }));
    requests.add(instant(0), 1e9);
    expect(requests.forecast()).toMatchObject({ tokenTime: 0 });
  });

  it('is null without a pace', () => {
    const bound = new PaceForecaster(samplePlan());
    bound.add(instant(0), 1);
    expect(bound.forecast()).toBeNull();
    // Nor of a plan of which no request is scheduled.
    expect(new PaceForecaster(samplePlan({ pace })).forecast()).toBeNull();
  });
});
