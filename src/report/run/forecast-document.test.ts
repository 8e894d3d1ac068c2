import { describe, expect, it } from 'vitest';
import type { Forecast, ForecastAmount } from '../../model/plan/forecast.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { milliseconds } from '../../model/quantity.ts';
import { terminalText } from '../document/terminal-writer.ts';
import { amountText, budgetNeedText, forecastDocument, needText } from './forecast-document.ts';

const exact = (sum: number, unknown = 0): ForecastAmount => ({ sum, basis: 'exact', unknown });
const need = (requests: number, input: number, output: number, cost: number) => ({
  requests: exact(requests),
  input: exact(input),
  output: exact(output),
  cost: exact(cost),
});
const group = {
  stage: 'steady',
  traffic: 'chat',
  model: 'm',
  entry: null,
  key: null,
  measured: 1,
  hangUps: 0,
  gaps: 0,
} as const;
const forecast: Forecast = {
  format: 'forecast/1',
  name: 'small',
  total: need(2, 30, 40, 5),
  groups: [{ ...group, ...need(2, 30, 40, 5) }],
  scheduled: milliseconds(25_000),
  grace: milliseconds(10_000),
  answerTime: null,
  lookedInto: 1,
  attempts: 1,
  limits: {
    keys: [],
    all: { requests: 2, tokens: 70 },
    binds: null,
    keysNeeded: null,
    exceeded: [],
  },
  pace: null,
  samples: [],
  objectives: [],
  budget: [],
  slices: null,
};
const page = (differing: Partial<Forecast>, plan = samplePlan(), warnings?: readonly string[]) =>
  terminalText(forecastDocument('1.2.3', { ...forecast, ...differing }, plan, warnings), {
    colour: false,
    width: 1000,
  });
/** The lines below the title of a section, without their indentation. */
const under = (title: string, text: string): readonly string[] => {
  const [, after = ''] = text.split(`\n\n${title}\n`);
  return after
    .split('\n\n')[0]!
    .split('\n')
    .map((line) => line.trim());
};
const requestsTitle = 'Requests, tokens and cost';
const notes = (differing: Partial<Forecast>): readonly string[] =>
  under(requestsTitle, page(differing)).slice(3);

describe('an amount', () => {
  it.each([
    [{ sum: 1200, basis: 'exact', unknown: 0 }, '<1200>'],
    [{ sum: 1200, basis: 'at-most', unknown: 0 }, 'at most <1200>'],
    [{ sum: 1200, basis: 'estimate', unknown: 1 }, 'about <1200> + 1 unknown'],
    [{ sum: 0, basis: 'at-most', unknown: 0 }, 'at most <0>'],
    [{ sum: 0, basis: 'exact', unknown: 1 }, 'unknown'],
    [{ sum: 1, basis: 'exact', unknown: 2000 }, '<1> + 2,000 unknown'],
  ] as const)('of %j is written as %s', (amount, words) => {
    expect(amountText(amount, (sum) => `<${sum}>`)).toBe(words);
  });

  it('of a whole plan, or of a unit of a budget, is a phrase; a cost is rounded up', () => {
    const needs = {
      requests: exact(300),
      input: { sum: 6000, basis: 'estimate', unknown: 0 },
      output: { sum: 1500, basis: 'at-most', unknown: 0 },
      cost: exact(1_250_000.2),
    } as const;
    expect(needText(needs)).toBe(
      '300 requests, with tokens: about 6,000 in, at most 1,500 out; cost: 1.250001',
    );
    expect(budgetNeedText('tokens', needs.input)).toBe('about 6,000 tokens');
    expect(budgetNeedText('cost', exact(1_250_000))).toBe('1.250000');
  });
});

describe('the page of a forecast', () => {
  it('has the needs of each part of a plan, and of all', () => {
    const groups = [
      { ...group, ...need(3, 20, 10, 1), key: 'main' },
      { ...group, ...need(4, 50, 60, 2), stage: 'peak', entry: 'long' },
      { ...group, ...need(5, 0, 0, 3), stage: 'peak', traffic: 'models', model: null } as const,
    ];
    expect(page({ groups, total: need(12, 70, 70, 6) })).toMatchInlineSnapshot(`
      "Plan “small”: nothing has been sent.

      Requests, tokens and cost
        Traffic           Key   Requests  Tokens in  Tokens out      Cost
        steady: chat (m)  main         3         20          10  0.000001
        peak: long        any          4         50          60  0.000002
        peak: models      any          5          0           0  0.000003
        all                           12         70          70  0.000006

      Time
        The load takes 25 s, the last answers at most another 10 s.

      Limits
        The scenario declares no limits."
    `);
    expect(under(requestsTitle, page({})).slice(1, 2)).toMatchInlineSnapshot(`
      [
        "chat (m)  any         2         30          40  0.000005",
      ]
    `);
  });

  it('has notes only where they apply', () => {
    expect(notes({})).toEqual([]);
    expect(notes({ answerTime: milliseconds(1500), lookedInto: 1000, attempts: 2 })).toEqual([
      'Users send the next request after an answer, so every answer is assumed to take 1.5 s (--answer-time).',
      'Based on one of every 1,000 requests.',
      'Retries are not included: each request can have up to 2 attempts.',
    ]);
  });

  it('says what is assumed of answers and prompts that are not known exactly', () => {
    const assumed = 'Answers are assumed to have maxTokens tokens; most of them are shorter.';
    const counted =
      'Prompts that Weir did not generate are counted by words, accurate to about a tenth; images and audio by OpenAI’s rules, which other models do not follow.';
    const total = need(2, 30, 40, 5);
    const notesOf = (differing: Partial<Forecast['total']>) =>
      notes({ total: { ...total, ...differing } });
    expect(notesOf({ cost: { ...total.cost, basis: 'at-most' } })).toEqual([assumed]);
    expect(notesOf({ output: { ...total.output, basis: 'estimate' } })).toEqual([assumed]);
    expect(notesOf({ output: { ...exact(0), basis: 'at-most' } })).toEqual([]);
    expect(notesOf({ input: { ...total.input, basis: 'estimate' } })).toEqual([counted]);
    expect(notesOf({ input: { ...total.input, basis: 'at-most' } })).toEqual([assumed]);
  });

  it('says what comes from a cache, and of which traffic that is not known', () => {
    const share = { traffic: 'chat', model: 'm', cached: 0.125, written: 0, answers: 1 } as const;
    const groups = [
      { ...group, ...need(3, 20, 10, 1) },
      { ...group, ...need(3, 20, 10, 1), stage: 'peak' },
      { ...group, ...need(4, 50, 60, 2), model: null },
      { ...group, ...need(4, 1, 60, 2), model: 'n' },
      { ...group, ...need(5, 0, 0, 3), traffic: 'models', model: null } as const,
    ];
    const other = { ...share, model: 'elsewhere', cached: 0.5 };
    const known = { ...share, model: null, cached: 0.5, answers: 1200 };
    const lines = notes({ groups, cachedShares: [share, other, known] }).slice(4);
    expect(lines).toEqual([
      'Costs assume that as much of the prompts comes from a cache as in the earlier result: chat (m) 12.5 % (1 answer), chat 50.0 % (1,200 answers).',
      'The earlier result does not say what is cached of chat (n): its prompts cost the full price.',
    ]);
    expect(notes({ groups, cachedShares: [other] }).slice(4)).toEqual([
      'The earlier result does not say what is cached of chat (m), chat and chat (n): its prompts cost the full price.',
    ]);
  });

  it('has the time of the load, the warnings and the pace', () => {
    const load = 'The load takes 25 s, the last answers at most another 10 s.';
    expect(under('Time', page({}))).toEqual([load]);
    const pace = {
      lastRelease: milliseconds(61_000),
      longestWait: milliseconds(400),
      unsendable: 0,
      tokenTime: milliseconds(9000),
    };
    const paced =
      'The pace releases the last request after 61 s at the earliest; the longest wait is 400 ms. The tokens alone need 9 s.';
    expect(under('Time', page({ pace }, samplePlan(), ['Look out.']))).toEqual([
      load,
      '! Look out.',
      paced,
    ]);
    expect(under('Time', page({ pace: { ...pace, unsendable: 1 } }))).toEqual([
      load,
      paced,
      '✗ 1 request cannot be sent before the run or their total deadline ends.',
    ]);
  });

  it('compares the busiest minute with the limits', () => {
    expect(under('Limits', page({}))).toEqual(['The scenario declares no limits.']);
    const limits = {
      keys: [{ key: 'main', requests: 90, tokens: 1400 }],
      all: { requests: 90, tokens: 1400 },
      binds: 'requests',
      keysNeeded: null,
      exceeded: [],
    } as const;
    const due = 'In the busiest minute 90 requests and 1,400 tokens are due;';
    const both = `${due} a key is allowed 60 requests and 2,000,000 tokens.`;
    expect(under('Limits', page({ limits }))).toEqual([both]);
    const spare = { key: 'spare', requests: 70, tokens: 700 };
    const two = {
      ...limits,
      keys: [...limits.keys, spare],
      keysNeeded: 3,
      exceeded: ['spare', 'main', 'unused'],
    };
    const first = 'The limit of requests is reached first: it needs 3 keys, and the plan has 2.';
    expect(under('Limits', page({ limits: two }))).toEqual([
      both,
      'By key: main 90 and 1,400, spare 70 and 700.',
      first,
      '! Over the limit: expect 429s with the keys main and spare.',
    ]);
    const one = { ...two, keysNeeded: 1, exceeded: ['spare'] };
    expect(under('Limits', page({ limits: one })).slice(2)).toEqual([
      'The limit of requests is reached first: it needs 1 key, and the plan has 2.',
      '! Over the limit: expect 429s with the key spare.',
    ]);
    const pace = {
      requests: 60,
      tokens: null,
      window: milliseconds(60_000),
      margin: milliseconds(1000),
      charged: 'sent',
    } as const;
    // A pace takes any free key and keeps the limits.
    expect(under('Limits', page({ limits: two }, samplePlan({ pace })))).toEqual([both, first]);
    const none = { requestsPerMinute: null, tokensPerMinute: null, limiter: null };
    const own = { ...none, tokensPerMinute: 500 };
    const keys = [
      { name: 'main', template: '', weight: 1, limits: none },
      { name: 'spare', template: '', weight: 1, limits: own },
      { name: 'common', template: '', weight: 1 },
    ];
    expect(under('Limits', page({ limits }, samplePlan({ keys })))).toEqual([
      `${due} allowed are main no limit, spare 500 tokens, common 60 requests and 2,000,000 tokens.`,
    ]);
  });

  it('has the samples of each kind, measures with as many samples together', () => {
    const chat = { traffic: 'chat', samples: 200 } as const;
    const samples = [
      { ...chat, measure: 'endToEnd' },
      { ...chat, measure: 'ttft', samples: 19 },
      { ...chat, measure: 'gap' },
      { ...chat, measure: 'stall' },
      { ...chat, traffic: 'chat-stream', measure: 'ttft', samples: 100 },
      { ...chat, measure: 'inputTokens' },
      { ...chat, measure: 'firstByte', samples: 20 },
      { ...chat, measure: 'outputTokens' },
    ] as const;
    const title = 'Samples if every request succeeds, and percentiles with ten samples beyond';
    expect(under(title, page({ samples }))).toMatchInlineSnapshot(`
      [
        "Kind         Samples  Percentiles    Measures",
        "chat             200  p50, p90, p95  End to end, Chunk gap, Longest stall and 2 more",
        "chat              19  none           TTFT",
        "chat-stream      100  p50, p90       TTFT",
        "chat              20  p50            First byte",
      ]
    `);
  });

  it('says of each objective whether it can be decided, and of each budget whether it suffices', () => {
    const objective = { text: 'ttft.p95 < 1s', needs: 200, expects: 1000, isDecidable: true };
    const objectives = [
      objective,
      { ...objective, expects: 1, isDecidable: false },
      { ...objective, needs: 1, expects: null, isDecidable: null },
      { ...objective, text: 'sent >= 5', needs: null },
    ];
    expect(under('Objectives, and whether they can be decided', page({ objectives }))).toEqual([
      '✓ ttft.p95 < 1s: needs 200 samples, can have 1,000',
      '✗ ttft.p95 < 1s: needs 200 samples, can have 1',
      '? ttft.p95 < 1s: needs 1 sample; only the answers show how many there are',
      '✓ sent >= 5: needs no samples',
    ]);
    const budget = [
      { unit: 'requests', cap: 1500, need: exact(1500) },
      { unit: 'tokens', cap: 1500, need: exact(1501) },
      { unit: 'cost', cap: 2_000_000, need: exact(1, 3) },
    ] as const;
    expect(under('Budget', page({ budget }))).toEqual([
      '✓ requests: allowed 1,500, needed 1,500 requests',
      '✗ tokens: allowed 1,500, needed 1,501 tokens',
      '✗ cost: allowed 2.000000, needed 0.000001 + 3 unknown',
    ]);
  });

  it('marks in colour what cannot be decided, does not fit, or is over a limit', () => {
    const objective = { text: 'o', needs: 2, expects: 1 };
    const colours = (differing: Partial<Forecast>): readonly string[] => {
      const { blocks } = forecastDocument('', { ...forecast, ...differing }, samplePlan(), ['w']);
      const inner = blocks.flatMap((block) => (block.kind === 'section' ? block.blocks : []));
      return inner.flatMap((block) => {
        if (block.kind === 'list') return block.items.map(({ text, tone }) => `${tone}: ${text}`);
        return block.kind === 'text' && block.tone !== 'plain'
          ? [`${block.tone}: ${block.text}`]
          : [];
      });
    };
    const pace = {
      lastRelease: milliseconds(1),
      longestWait: milliseconds(1),
      unsendable: 2,
      tokenTime: milliseconds(1),
    };
    const keys = [{ key: 'main', requests: 90, tokens: 1 }];
    const limits = { ...forecast.limits, keys, binds: 'requests', exceeded: ['main'] } as const;
    const budget = [
      { unit: 'tokens', cap: 1, need: exact(2) },
      { unit: 'tokens', cap: 1, need: exact(1) },
    ] as const;
    const objectives = [true, false, null].map((isDecidable) => ({ ...objective, isDecidable }));
    expect(colours({ attempts: 3, pace, limits, budget, objectives })).toEqual([
      'quiet: Retries are not included: each request can have up to 3 attempts.',
      'warning: ! w',
      'bad: ✗ 2 requests cannot be sent before the run or their total deadline ends.',
      'warning: ! Over the limit: expect 429s with the key main.',
      'bad: ✗ o: needs 2 samples, can have 1',
      'bad: ✗ tokens: allowed 1, needed 2 tokens',
    ]);
  });
});

describe('the machines that a load needs', () => {
  const basis = { streams: 700, tokensPerSecond: 20_000, workers: 1, isValid: true };
  const slices = {
    slices: 3,
    streams: 1500,
    sockets: 1500,
    chunksPerSecond: 30_000,
    cores: 1.25,
    workers: 2,
    memory: 500_000_001,
    bytesPerSecond: 1,
    basis,
  };
  const fleet = {
    cores: 3.75,
    memory: 9_999_999_999,
    bytesPerSecond: 10_000_000_000,
    addresses: 1,
    results: 2_000_000,
    mergeTime: 1200,
    mergeMemory: 320_000_000,
  };
  const linesOf = (differing: Partial<Forecast>) => under('Slices', page({ slices, ...differing }));
  const [each, calibrated, ...costs] = linesOf({});

  it('are described for each slice, and together', () => {
    expect(each).toBe(
      '3 slices, each at its peak with about 1,500 requests in flight, as many sockets (1,500; see ulimit -n), 30,000 chunks a second in 2 workers (1.25 cores), about 501 MB of memory and 1 MB/s of answers.',
    );
    expect(calibrated).toBe(
      'This machine was calibrated at 700 streams of 20,000 tokens a second in 1 worker, beside the gateway: no slice gets more.',
    );
    expect(costs).toEqual([
      'CPU: 31.0 µs a chunk. Memory: 300 MiB for each worker, and 32 KiB for each request in flight. Both are rounded up from Weir’s own measurement (reports/scale.md). Answers: 250 bytes a chunk, assumed, not measured.',
      'A request counts as ten chunks. In flight are as many as come in the time of an answer: 100 ms, and 10 ms for each token, unless --answer-time gives it.',
    ]);
    expect(linesOf({ fleet }).slice(1, 3)).toEqual([
      'Together: 3.75 cores, 10,000 MB of memory, 10 GB/s of answers.',
      'Merging: 2 MB of results, read and merged in about 1.2 s of CPU, with 320 MB of memory.',
    ]);
    expect(linesOf({ fleet: { ...fleet, addresses: 2 } })[1]).toBe(
      'Together: 3.75 cores, 10,000 MB of memory, 10 GB/s of answers, and 2 source addresses or more for each address and port of the target, since Linux has 28,232 source ports for each.',
    );
  });

  it('are described without a calibration, or with a degraded one', () => {
    expect(linesOf({ slices: { ...slices, basis: null } })).toEqual([each, ...costs]);
    const degraded = { ...basis, streams: 1, isValid: false };
    expect(linesOf({ slices: { ...slices, basis: degraded } })[1]).toBe(
      'This machine was calibrated (degraded, as at any load) at 1 stream of 20,000 tokens a second in 1 worker, beside the gateway: no slice gets more.',
    );
  });
});
