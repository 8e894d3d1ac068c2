import { describe, expect, it } from 'vitest';
import { loadDuration, type Plan, planSchema } from './plan.ts';
import { planHash } from './plan-hash.ts';
import { milliseconds, perSecond } from '../quantity.ts';
import { samplePlan } from './sample-plan.fixture.ts';
import type { TrafficOf } from '../workload/traffic.ts';
import { withoutPrompts } from './without-prompts.ts';

const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, entry]) => [key, reversed(entry)] as const)
      .toReversed(),
  );
};

describe('a plan', () => {
  it('is unchanged by JSON and its own schema', () => {
    const plan = samplePlan();
    expect(planSchema.parse(JSON.parse(JSON.stringify(plan)))).toEqual(plan);
  });

  it('has a hash that does not depend on the order of its fields', () => {
    expect(planHash(reversed(samplePlan()) as Plan)).toBe(planHash(samplePlan()));
    expect(planHash(samplePlan())).toMatch(/^[0-9a-f]{64}$/);
  });

  it('has another hash if anything differs, including the order of a list', () => {
    const { keys, seed } = samplePlan();
    const hashes = [
      {},
      { seed: seed + 1 },
      { keys: keys.toReversed() },
      { headers: { a: 'b' } },
    ].map((differing) => planHash(samplePlan(differing)));
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it('has another hash if connections are not used again, and that of earlier versions if they are', () => {
    const { wire } = samplePlan();
    const hashOf = (differing: object): string =>
      planHash(samplePlan({ wire: { ...wire, ...differing } }));
    expect(hashOf({ reuse: true, maxRequestsPerConnection: null })).toBe(planHash(samplePlan()));
    const differing = [{}, { reuse: false }, { maxRequestsPerConnection: 5 }].map(hashOf);
    expect(new Set(differing).size).toBe(3);
  });

  it('has another hash for each rule of a complete stream', () => {
    const rules = ['standard', 'lenient', 'strict'] as const;
    const hashes = rules.map((streams) => planHash(samplePlan({ streams })));
    expect(new Set(hashes).size).toBe(3);
  });

  it('has the same hash for any objectives: results stay comparable when a bound changes', () => {
    const scope = { traffic: null, model: null, key: null, stages: null };
    const held = { text: 'e2e < 5s', scope, comparison: '<', bound: 5000 } as const;
    const perRequest = [{ ...held, measure: 'endToEnd' as const }];
    const figure = { kind: 'count', name: 'failed' } as const;
    const objectives = [
      { ...held, figure, minSamples: 1, severity: 'fail', abortAfter: null },
    ] as const;
    const budget = { requests: 9, tokens: null, cost: null };
    const plan = samplePlan({ perRequest, objectives: [...objectives], budget });
    expect(planHash(plan)).toBe(planHash(samplePlan()));
  });
});

describe('a plan without its prompts', () => {
  const marker = 'PLANTED';
  const long = `${marker} and a text of well over forty characters`;
  const [stage] = samplePlan().stages;
  const chat: TrafficOf<'chat'> = {
    kind: 'chat',
    weight: 2,
    model: 'publisher/model-8b',
    conversations: [
      [
        { role: 'system', content: `${marker}🙂` },
        { role: 'user', content: long },
      ],
      [{ role: 'user', content: '' }],
    ],
    maxTokens: null,
    body: {
      temperature: 0.5,
      logprobs: true,
      suffix: null,
      tool_choice: 'auto',
      guided_regex: 'x'.repeat(40),
      prefix: 'x'.repeat(41),
      tools: [{ type: 'function', function: { name: 'look_up', description: long } }],
    },
    price: { input: 150_000, output: 600_000 },
  };
  const speech: TrafficOf<'speech'> = {
    kind: 'speech',
    weight: 1,
    model: 'publisher/voice',
    texts: [long, `${marker}!`],
    voice: 'calm.wav',
    format: 'opus',
    speed: 1.2,
    body: { style: long },
  };
  const transcription: TrafficOf<'transcription'> = {
    kind: 'transcription',
    weight: 1,
    model: 'publisher/ear',
    clips: [
      { file: 'meeting-on-tuesday-about-the-budget-of-next-year.wav', text: long },
      { file: 'bundled', text: null },
    ],
    format: 'json',
    language: 'en',
    granularities: [],
    oversized: false,
  };
  const whole = samplePlan({
    stages: [{ ...stage!, traffic: [chat, speech, transcription, { kind: 'models', weight: 1 }] }],
    headers: { 'x-tenant': marker, authorization: `${marker}\${env:PASS}` },
    keys: [{ name: 'main', template: `${marker}-\${env:A}-\${secret:b/c}`, weight: 1 }],
  });
  const stripped = withoutPrompts(whole);

  it('has the length of each message and of each long text of a body, and keeps the rest', () => {
    const [first, , , last] = stripped.stages[0]!.traffic;
    expect([first, last]).toEqual([
      {
        ...chat,
        conversations: [
          [
            { role: 'system', content: '[8 characters]' },
            { role: 'user', content: `[${long.length} characters]` },
          ],
          [{ role: 'user', content: '[0 characters]' }],
        ],
        body: {
          ...chat.body,
          prefix: '[41 characters]',
          tools: [
            {
              type: 'function',
              function: { name: 'look_up', description: `[${long.length} characters]` },
            },
          ],
        },
      },
      { kind: 'models', weight: 1 },
    ]);
  });

  it('has the description of synthetic prompts and of prompts from files, and no system message', () => {
    const file = { kind: 'dataset', file: 'p.csv', sha256: '0'.repeat(64), prompts: 3 } as const;
    const read = (system: string | null) => ({ ...chat, conversations: { ...file, system } });
    const { stages } = withoutPrompts({
      ...whole,
      stages: [{ ...stage!, traffic: [read(marker), read(null)] }],
    });
    expect(
      stages[0]?.traffic.map((entry) => 'conversations' in entry && entry.conversations),
    ).toEqual([
      { ...file, system: `[${marker.length} characters]` },
      { ...file, system: null },
    ]);
  });

  it('has the length of texts for speech, and only the file of a clip', () => {
    const [, spoken, heard] = stripped.stages[0]!.traffic;
    expect(spoken).toEqual({
      ...speech,
      texts: [`[${long.length} characters]`, '[8 characters]'],
      body: { style: `[${long.length} characters]` },
    });
    expect(heard).toEqual({
      ...transcription,
      clips: [
        { file: transcription.clips[0]!.file, text: `[${long.length} characters]` },
        { file: 'bundled', text: null },
      ],
    });
  });

  it('has only the references in keys and headers', () => {
    expect(stripped.headers).toEqual({
      'x-tenant': '[redacted]',
      authorization: '${env:PASS}',
    });
    expect(stripped.keys[0]!.template).toBe('${env:A} ${secret:b/c}');
  });

  it('is a valid plan with another hash and none of the texts; the original is unchanged', () => {
    expect(planSchema.parse(stripped)).toEqual(stripped);
    expect(planHash(stripped)).not.toBe(planHash(whole));
    expect(JSON.stringify(stripped)).not.toContain(marker);
    expect(JSON.stringify(whole).split(marker)).toHaveLength(11);
  });
});

describe('a load', () => {
  const users = { users: 2, thinkTime: milliseconds(0) };
  it.each([
    [
      {
        kind: 'open' as const,
        spacing: 'even' as const,
        curve: [1000, 2500].map((duration) => ({
          from: perSecond(1),
          to: perSecond(2),
          duration: milliseconds(duration),
        })),
      },
      3500,
    ],
    [{ kind: 'closed' as const, ...users, duration: milliseconds(9), rampUp: milliseconds(4) }, 9],
    [{ kind: 'iterations' as const, ...users, iterations: 5, maxDuration: milliseconds(8) }, 8],
  ])('of kind $kind has its declared duration', (load, duration) => {
    expect(loadDuration(load)).toBe(duration);
  });
});
