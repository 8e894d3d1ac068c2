import { describe, expect, it } from 'vitest';
import { milliseconds, perSecond } from '../../model/quantity.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { sampleTraceLoad } from '../../model/workload/sample-trace.fixture.ts';
import type { TraceLoad } from '../../model/workload/trace.ts';
import type { TrafficOf } from '../../model/workload/traffic.ts';
import {
  clippedTraces,
  droppedPrompts,
  loadText,
  loadsText,
  loadTexts,
  plannedTime,
  promptsText,
  tokenCountText,
  traceNeeds,
} from './workload-text.ts';

const needsOf = (load: TraceLoad): string => {
  const [stage] = samplePlan().stages;
  const limits = { requestsPerMinute: 60, tokensPerMinute: 2_000_000, limiter: null };
  return traceNeeds({ ...samplePlan(), limits, stages: [{ ...stage!, load }] }).join('\n');
};

describe('the needs of a trace', () => {
  it('are given as rates, as keys by the declared limits, and with the clipped requests', () => {
    const facts = {
      ...sampleTraceLoad.facts,
      requests: 9000,
      inputTokens: 9_000_000,
      outputTokens: 900_000,
      duration: milliseconds(1_800_000),
      busiestMinute: { requests: 421, tokens: 600_000 },
      clipped: { outside: 1200, inputs: 31, outputs: 1, raised: 7 },
    };
    const until = milliseconds(3_600_000);
    expect(needsOf({ ...sampleTraceLoad, until, maxOutputTokens: 1000, facts }))
      .toMatchInlineSnapshot(`
        "steady: the mooncake trace short.jsonl until 1 h at 2 times its pace: 9,000 requests in 30 min
          as recorded it spans 1 h, with its times in milliseconds; the busiest second has 3 requests
          it needs 300 requests, 300,000 input and 30,000 output tokens a minute on average; in its busiest minutes 421 requests and 600,000 tokens
          by the declared limits of a key that minute needs 8 keys; the plan has 2
          1,200 requests outside the cut, 31 prompts clipped to 700 tokens, 1 answer clipped to 1,000 tokens, 7 empty lengths raised to one token"
      `);
  });

  it('are given for a short trace too', () => {
    expect(needsOf({ ...sampleTraceLoad, speed: 1 })).toMatchInlineSnapshot(`
      "steady: the mooncake trace short.jsonl: 3 requests in 251 ms
        as recorded it spans 251 ms, with its times in milliseconds; the busiest second has 3 requests
        it needs 3 requests, 1,303 input and 6 output tokens in all, within less than a minute
        by the declared limits of a key that minute needs 1 key; the plan has 2
        1 prompt clipped to 700 tokens"
    `);
  });

  it('need no keys without limits, and no known number of keys with named targets', () => {
    const [stage] = samplePlan().stages;
    const none = { requestsPerMinute: null, tokensPerMinute: null, limiter: null };
    const line = 'declared limits of a key';
    const needs = (differing: object): string =>
      traceNeeds({
        ...samplePlan(),
        stages: [{ ...stage!, load: sampleTraceLoad }],
        ...differing,
      }).join('\n');
    expect(needs({})).toContain(line);
    expect(needs({ limits: none })).not.toContain(line);
    expect(needs({ targets: [] })).not.toContain(line);
    // Three requests of 1,303 and 6 tokens, where two keys together have 400 a minute.
    expect(needs({ limits: { ...none, tokensPerMinute: 200 } })).toContain(
      'that minute needs 7 keys',
    );
    expect(needs({ limits: { ...none, requestsPerMinute: 1 } })).toContain(
      'that minute needs 3 keys',
    );
  });

  it('say from where, and nothing of a unit and a second that are not known', () => {
    const { unit: _, busiestSecond: __, ...facts } = sampleTraceLoad.facts;
    const load = { ...sampleTraceLoad, from: milliseconds(5000), speed: 0.5, facts };
    expect(needsOf(load).split('\n').slice(0, 2)).toEqual([
      'steady: the mooncake trace short.jsonl from 5 s at 0.5 times its pace: 3 requests in 251 ms',
      '  as recorded it spans 126 ms',
    ]);
  });

  it('are absent if a plan replays none', () => {
    expect(traceNeeds(samplePlan())).toEqual([]);
  });
});

describe('what is not sent of files', () => {
  it('is one sentence for each kind of it, said once', () => {
    const [stage] = samplePlan().stages;
    const source = {
      kind: 'dataset',
      system: null,
      file: 'mix.json',
      sha256: '0'.repeat(64),
      prompts: 1,
      dropped: { rows: 9, firstRow: 'entry 2', turns: 1, fields: { id: 3, model: 1 } },
    } as const;
    const chat = stage!.traffic.find(({ kind }) => kind === 'chat')! as TrafficOf<'chat'>;
    const conversations = { ...source, dropped: { ...source.dropped } };
    const traffic = [chat, chat].map((entry) => ({ ...entry, conversations }));
    const plan = { ...samplePlan(), stages: [{ ...stage!, traffic }] };
    expect(droppedPrompts(plan).join('\n')).toMatchInlineSnapshot(`
      "mix.json: 9 of 10 rows are skipped, since they have no question of a user in text; the first is entry 2
      mix.json: the first question of each conversation is sent; 1 other turn are not
      mix.json: these fields are not sent: "id" (3 rows), "model" (1 row); put fields of the request into "body""
    `);
    expect(droppedPrompts(samplePlan())).toEqual([]);
  });

  it('is a sentence for each trace that is clipped', () => {
    const [stage] = samplePlan().stages;
    const facts = {
      ...sampleTraceLoad.facts,
      clipped: { outside: 2, inputs: 0, outputs: 0, raised: 1 },
    };
    const planOf = (load: TraceLoad) => ({ ...samplePlan(), stages: [{ ...stage!, load }] });
    expect(clippedTraces(planOf({ ...sampleTraceLoad, facts }))).toEqual([
      'short.jsonl: 2 requests outside the cut, 1 empty length raised to one token',
    ]);
    const whole = { ...facts, clipped: { outside: 0, inputs: 0, outputs: 0, raised: 0 } };
    expect(clippedTraces(planOf({ ...sampleTraceLoad, facts: whole }))).toEqual([]);
    const unread = { NumImages: 27, type: 1 };
    const named = 'these fields are not replayed: "NumImages" (27 requests), "type" (1 request)';
    const load = { ...sampleTraceLoad, facts: { ...whole, unread } };
    expect(clippedTraces(planOf(load))).toEqual([`short.jsonl: ${named}`]);
    expect(traceNeeds(planOf(load)).at(-1)).toBe(`  ${named}`);
  });
});

describe('prompts in words', () => {
  it.each([
    [500, '500 tokens'],
    [{ kind: 'uniform', min: 5, max: 1000 }, '5 to 1,000 tokens'],
    [
      { kind: 'normal', mean: 300, deviation: 50, min: 1, max: 9 },
      '300 tokens on average (normal, deviation 50)',
    ],
    [
      { kind: 'lognormal', median: 300, sigma: 0.5, min: 1, max: 9 },
      '300 tokens in the middle (lognormal, sigma 0.5)',
    ],
    [{ kind: 'empirical', values: [1, 2] }, 'tokens by 2 values of a list'],
  ] as const)('the count %j', (count, words) => {
    expect(
      tokenCountText(
        typeof count === 'object' && 'values' in count
          ? { ...count, values: [...count.values] }
          : count,
      ),
    ).toBe(words);
  });

  it('say where they come from', () => {
    const made = { kind: 'synthetic', system: null, tokens: 900, turns: null } as const;
    const prefix = { tokens: 100, pool: 5 };
    expect([
      promptsText([[{ role: 'user', content: 'a' }]]),
      promptsText({ ...made, prefix: null, cache: 'avoid' }),
      promptsText({ ...made, prefix, cache: 'invite' }),
      promptsText({ ...made, turns: { count: 4, answer: 9 }, prefix: null, cache: 'avoid' }),
      promptsText({ kind: 'dataset', system: null, file: 'p.csv', sha256: '', prompts: 7 }),
      promptsText({ kind: 'trace', system: null }),
    ]).toMatchInlineSnapshot(`
      [
        "1 prompt",
        "made-up prompts of 900 tokens",
        "made-up prompts of 900 tokens, of which 100 tokens are one of 5 shared beginnings, all beginning alike",
        "synthetic conversations of 4 questions, each of 900 tokens",
        "one of 7 prompts from p.csv",
        "prompts and answers of the trace’s lengths",
      ]
    `);
  });
});

describe('the time of a plan', () => {
  it('is at most the longest if answers or objectives can end it', () => {
    const [stage] = samplePlan().stages;
    const second = milliseconds(1000);
    const users = { kind: 'closed', users: 1, duration: second, thinkTime: second, rampUp: second };
    const shared = { ...users, kind: 'iterations', iterations: 5, maxDuration: milliseconds(9000) };
    const timeOf = (load: object, differing = {}): string =>
      plannedTime(
        samplePlan({ stages: [{ ...stage!, load } as typeof stage & object], ...differing }),
      );
    expect(plannedTime(samplePlan())).toBe('25 s');
    expect(timeOf(users)).toBe('1 s');
    expect(timeOf(users, { until: 'decided' })).toBe('at most 1 s');
    expect(timeOf(shared)).toBe('at most 9 s');
  });
});

describe('the load of a run', () => {
  const [stage] = samplePlan().stages;
  const ran = { scheduled: milliseconds(20_000), partial: null };

  it('of several stages or populations is their number', () => {
    const plan = samplePlan({ stages: [stage!, stage!] });
    expect(loadsText({ plan, ...ran })).toBe('2 stages');
    const populations = [{ name: 'a', after: milliseconds(0), keys: [], retry: null }];
    expect(loadsText({ plan: { ...plan, populations }, ...ran })).toBe('1 population');
  });

  it('has its pieces, rates to a hundredth and spacing in words', () => {
    const piece = (from: number, to: number, seconds: number) => ({
      from: perSecond(from),
      to: perSecond(to),
      duration: milliseconds(seconds * 1000),
    });
    const load = { kind: 'open', curve: [piece(1.005, 2.126, 9), piece(2.5, 2.5, 60)] } as const;
    const curve = [...load.curve];
    expect(loadText({ ...load, curve, spacing: 'even' })).toBe(
      '1/s → 2.13/s in 9 s, then 2.5/s for 60 s',
    );
    expect(loadText({ kind: 'saturate', connections: 1, duration: milliseconds(5000) })).toBe(
      '1 connection flat out for 5 s',
    );
    expect(loadText({ ...sampleTraceLoad, until: milliseconds(1) })).toBe(
      'the mooncake trace short.jsonl until 1 ms at 2 times its pace: 3 requests in 251 ms',
    );
  });
});

describe('the load of a run that its objectives ended', () => {
  const [stage] = samplePlan().stages;
  const ran = { scheduled: milliseconds(20_000), partial: null };
  const plan = samplePlan({ until: 'decided' });

  it('says how long it lasted', () => {
    expect(loadsText({ plan, ...ran })).toBe('3/s for 20 s, decided');
  });

  it('is the last one: those before lasted as long as planned', () => {
    const load = { kind: 'closed', users: 2, thinkTime: milliseconds(0) } as const;
    const times = { duration: milliseconds(60_000), rampUp: milliseconds(0) };
    const stages = [stage!, { ...stage!, name: 'users', load: { ...load, ...times } }];
    const run = { plan: { ...plan, stages }, ...ran, scheduled: milliseconds(41_500) };
    expect(loadTexts(run)).toEqual([
      '3/s for 25 s',
      '2 users for 16.5 s, ramped up in 0 s, decided',
    ]);
  });

  it('is the planned one if the run lasted as long as it may, was stopped, or is of another kind', () => {
    const planned = '3/s for 25 s';
    expect(loadsText({ plan, ...ran, scheduled: milliseconds(25_000) })).toBe(planned);
    expect(loadsText({ plan, ...ran, partial: 'stopped by SIGINT' })).toBe(planned);
    expect(loadsText({ plan: samplePlan(), ...ran })).toBe(planned);
  });
});
