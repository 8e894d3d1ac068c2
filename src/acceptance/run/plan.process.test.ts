import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { milliseconds } from '../../model/quantity.ts';
import { openMock } from '../harness/open-mock.fixture.ts';
import { readLines, resultIn } from '../harness/run-files.fixture.ts';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { tempFile, tempFolder, cleanUpAfterEach } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

/** Loads of every kind, prompts of every source and all kinds of traffic. */
const everything = `
name: everything
traffic:
  - kind: chat
    weight: 4
    model: weir/small
    prompt: { tokens: { kind: lognormal, median: 300, sigma: 0.6 }, prefix: { tokens: 50, pool: 2 } }
    maxTokens: { kind: uniform, min: 5, max: 25 }
  - { kind: chat-stream, weight: 2, model: weir/large, prompt: { file: prompts.jsonl }, maxTokens: 9 }
  - { kind: chat, model: weir/small, prompts: [Why does water rise?, Say yes.], maxTokens: 7 }
  - { kind: speech, model: weir-tts, texts: [The gate is open., Grüße vom Fluss!] }
  - { kind: transcription, model: weir/whisper }
  - { kind: models }
prices:
  weir/small: { input: 0.153, output: 0.607 }
  weir/large: { input: 1.25, output: 5.01 }
stages:
  - { name: even, load: { kind: constant, rate: 40/s, duration: 1s } }
  - { name: chance, load: { kind: poisson, rate: 40/s, duration: 1s } }
  - { name: bursts, load: { kind: gamma, rate: 40/s, duration: 1s, shape: 0.4 } }
  - { name: slope, load: { kind: ramping, from: 10/s, steps: [{ to: 60/s, over: 1s }] } }
  - { name: stairs, load: { kind: stairs, from: 20/s, step: 20/s, every: 500ms, steps: 2 } }
  - name: recorded
    load: { kind: trace, file: trace.jsonl, speed: 4 }
    traffic: [{ kind: chat, model: weir/small }]
  - name: talkers
    load: { kind: closed, users: 5, thinkTime: 390ms, duration: 2s }
    traffic:
      - kind: chat
        model: weir/large
        prompt: { tokens: 40, turns: { count: 3, answer: 60 } }
        maxTokens: 6
  - { name: shared, load: { kind: iterations, users: 6, iterations: 30, maxDuration: 20s } }
mock: { ttft: 10ms, gap: 1ms }
limits: { requestsPerMinute: none, tokensPerMinute: none }
`;

const prompts = [
  { prompt: 'Name three things that make a river rise.' },
  { prompt: 'Tell a story of a miller.', max_tokens: 4 },
];
const trace = Array.from({ length: 20 }, (_, n) => ({
  timestamp: n * 150,
  input_length: 100 + 37 * n,
  output_length: 3 + n,
  hash_ids: [0, n + 1],
}));

const jsonLines = (lines: readonly object[]): string =>
  lines.map((line) => JSON.stringify(line)).join('\n');

const amount = z.object({ sum: z.number(), basis: z.string(), unknown: z.number() });
const need = z.object({ requests: amount, input: amount, output: amount, cost: amount });
const forecastSchema = z.object({
  format: z.literal('forecast/1'),
  total: need,
  groups: z.array(need.extend({ stage: z.string() })),
});

const observed = z.object({
  requestId: z.string(),
  stage: z.int(),
  outcome: z.object({
    kind: z.literal('completed'),
    answer: z.object({
      cost: z.int().optional(),
      tokens: z.object({ input: z.int(), output: z.int() }).optional(),
    }),
  }),
});

const ledgerSchema = z.object({
  micros: z.int(),
  dropped: z.literal(0),
  entries: z.array(z.object({ requestId: z.string(), micros: z.int() })),
});

const mockPrices = {
  'weir/small': { input: 153_000, output: 607_000 },
  'weir/large': { input: 1_250_000, output: 5_010_000 },
};

/** Forecasts a scenario, and runs it against a gateway that keeps a ledger of charges. */
const plannedAndRun = async () => {
  const path = await tempFile('s.yaml', everything);
  const folder = dirname(path);
  await writeFile(join(folder, 'prompts.jsonl'), jsonLines(prompts));
  await writeFile(join(folder, 'trace.jsonl'), jsonLines(trace));
  const planned = await weir(['plan', path, '--answer-time', '20ms', '--json']);
  expect(planned.stderr).toBe('');
  const mock = await openMock({
    ttft: milliseconds(10),
    gap: milliseconds(1),
    prices: mockPrices,
    limits: { requestsPerMinute: null, tokensPerMinute: null },
  });
  const file = join(folder, 'observations.jsonl');
  const out = ['--out', join(folder, 'out'), '--observations', file];
  await weir(['run', path, '--target', mock.url, ...out], { WEIR_API_KEY: 'sk-weir-test' });
  const lines = (await readLines(file)).slice(1);
  return {
    forecast: forecastSchema.parse(JSON.parse(planned.stdout)),
    observations: lines.map((line) => observed.parse(JSON.parse(line))),
    ledger: ledgerSchema.parse(await (await fetch(`${mock.controlUrl}/ledger`)).json()),
  };
};

const sumOf = (groups: z.infer<typeof forecastSchema>['groups']) => {
  const whole = (of: 'requests' | 'input' | 'output' | 'cost'): number =>
    groups.reduce((sum, group) => sum + group[of].sum, 0);
  return {
    requests: whole('requests'),
    input: whole('input'),
    output: whole('output'),
    cost: whole('cost'),
  };
};

/** Expects a forecast within 2 % of the observed value. */
const near = (planned: number, seen: number): void => {
  expect(seen).toBeGreaterThan(0);
  expect(Math.abs(planned - seen) / seen).toBeLessThanOrEqual(0.02);
};

describe('weir plan', () => {
  it('forecasts the requests, tokens and cost of every load, and the run’s costs equal the gateway’s to the micro-unit', async () => {
    const { forecast, observations, ledger } = await plannedAndRun();
    const stages = [...new Set(forecast.groups.map(({ stage }) => stage))];
    expect(stages).toHaveLength(9);
    for (const [position, name] of stages.entries()) {
      const planned = sumOf(forecast.groups.filter(({ stage }) => stage === name));
      const seen = observations.filter(({ stage }) => stage === position).length;
      expect([name, planned.requests]).toEqual([name, seen]);
    }
    const answers = observations.map(({ outcome }) => outcome.answer);
    const sum = (of: (answer: (typeof answers)[number]) => number | undefined): number =>
      answers.reduce((whole, answer) => whole + (of(answer) ?? 0), 0);
    const planned = sumOf(forecast.groups);
    near(planned.requests, observations.length);
    near(
      planned.input,
      sum(({ tokens }) => tokens?.input),
    );
    near(
      planned.output,
      sum(({ tokens }) => tokens?.output),
    );
    near(planned.cost, ledger.micros);
    const paid = observations.flatMap(({ requestId, outcome: { answer } }) =>
      answer.cost === undefined ? [] : [`${requestId} ${answer.cost}`],
    );
    const charged = ledger.entries.map(({ requestId, micros }) => `${requestId} ${micros}`);
    expect(paid.toSorted()).toEqual(charged.toSorted());
    expect(ledger.entries.reduce((whole, { micros }) => whole + micros, 0)).toBe(ledger.micros);
  });
});

const capped = `
traffic: [{ kind: chat, model: weir/small, prompt: { tokens: 100 }, maxTokens: 20 }]
prices: { weir/small: { input: 1, output: 2 } }
load: { kind: constant, rate: 40/s, duration: 2s }
mock: { ttft: 5ms, gap: 1ms, limits: { requestsPerMinute: none } }
`;

describe('weir run', () => {
  it.each([
    ['{requests: 30}', 30],
    // One request: 100 tokens in, 20 out, 140 micro-units.
    ['{tokens: 2500}', 20],
    ['{cost: 0.0015}', 10],
  ])('ends before it spends more than %s with --yes', async (budget, most) => {
    const path = await tempFile('s.yaml', capped);
    const out = await tempFolder();
    const words = ['run', path, '--yes', '--out', out, '--set', `budget=${budget}`];
    const { code } = await weir(words);
    const result = await resultIn(out);
    expect(sumOutcomes(result.groups)).toMatchObject({ completed: most, dropped: 1 });
    expect(result.gatewayCounters).toMatchObject({ completed: most });
    expect(result.partial).toContain(`budget.${budget.slice(1).split(':')[0]}`);
    expect(code).toBe(3);
  });
});
