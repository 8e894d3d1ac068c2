import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { moneyField } from './schema/fields.ts';
import { problemsText } from './text/scenario-problem.ts';
import { readScenario, type ScenarioSource } from './read-scenario.ts';

const load = 'load: {kind: constant, rate: 5/s, duration: 30s}\n';
const chat = 'traffic: [{kind: chat, model: a/b}, {kind: chat-stream, model: c}]\n';

const read = (text: string, more: Partial<ScenarioSource> = {}) =>
  readScenario({ text, name: 'f.yaml', environment: {}, ...more });

const problemsOf = (...given: Parameters<typeof read>): string => {
  const reading = read(...given);
  return reading.ok ? '' : problemsText(reading.problems, 'f.yaml');
};

const pricesOf = (text: string): unknown => {
  const reading = read(text);
  if (!reading.ok) throw new Error(problemsText(reading.problems, 'f.yaml'));
  return reading.plan.stages.map(({ traffic }) =>
    traffic.map((entry) => ('price' in entry ? entry.price : 'no place for one')),
  );
};

describe('an amount of money', () => {
  it.each([
    [0, 0],
    [0.15, 150_000],
    [0.6, 600_000],
    [0.07, 70_000],
    [1.1, 1_100_000],
    [4.35, 4_350_000],
    [0.000_001, 1],
    [75, 75_000_000],
    [999_999.999_999, 999_999_999_999],
    [1_000_000, 1_000_000_000_000],
  ])('of %d is %d millionths', (amount, micro) => {
    expect(moneyField().parse(amount)).toBe(micro);
  });

  it('is exact with up to six decimals', () => {
    fc.assert(
      fc.property(fc.nat({ max: 999_999 }), fc.nat({ max: 999_999 }), (units, millionths) => {
        const written = `${units}.${String(millionths).padStart(6, '0')}`;
        expect(moneyField().parse(Number(written))).toBe(units * 1_000_000 + millionths);
      }),
    );
  });

  it.each([0.000_000_1, 0.123_456_7, -0.1, 1_000_000.1, Number.NaN, Number.POSITIVE_INFINITY, '1'])(
    'cannot be %j',
    (amount) => {
      expect(moneyField().safeParse(amount).success).toBe(false);
    },
  );
});

describe('prices', () => {
  it('apply to every chat entry of their model, in all stages, and to no other', () => {
    const stages = `stages:
  - {name: one, ${load.trim()}}
  - {name: two, ${load.trim()}, traffic: [{kind: chat, model: c}, {kind: speech, model: s}, {kind: models}]}
`;
    const prices = 'prices: {c: {input: 0.15, output: 0.60}}\n';
    expect(pricesOf(`${chat}${prices}${stages}`)).toEqual([
      [null, { input: 150_000, output: 600_000 }],
      [{ input: 150_000, output: 600_000 }, 'no place for one', 'no place for one'],
    ]);
  });

  it('are unknown if none are given, also for a model with the name of a method', () => {
    expect(pricesOf(`${chat}${load}`)).toEqual([[null, null]]);
    expect(pricesOf(`traffic: [{kind: chat, model: toString}]\n${load}`)).toEqual([[null]]);
  });

  it('may come from the environment', () => {
    const text = `${chat}prices: {c: {input: "\${env:IN}", output: 1}}\n${load}`;
    const reading = read(text, { environment: { IN: '0.15' } });
    expect(reading).toMatchObject({
      ok: true,
      plan: { stages: [{ traffic: [{}, { price: { input: 150_000, output: 1_000_000 } }] }] },
    });
  });

  it('that are invalid are refused, each at its place', () => {
    const text = `${chat}${load}prices:
  c: {input: 0.1234567, outptu: 1}
  a/b: 3
`;
    expect(problemsOf(text)).toMatchInlineSnapshot(`
      "f.yaml:4:14: expected an amount from 0 to 1,000,000 with at most 6 decimals, such as 0.15, got the number 0.1234567
      f.yaml:4:25: unknown key "outptu"; did you mean "output"?
      f.yaml:5:8: expected a price such as {input: 0.15, output: 0.60}, got the number 3"
    `);
    expect(problemsOf(`${chat}${load}prices: 3\n`)).toMatchInlineSnapshot(
      `"f.yaml:3:9: expected a mapping of models to prices such as {NAME: {input: 0.15, output: 0.60}}, got the number 3"`,
    );
    expect(problemsOf(`${chat}${load}prices: {c: {input: -1, output: 1000001}}\n`))
      .toMatchInlineSnapshot(`
      "f.yaml:3:21: expected an amount from 0 to 1,000,000 with at most 6 decimals, such as 0.15, got the number -1
      f.yaml:3:33: expected an amount from 0 to 1,000,000 with at most 6 decimals, such as 0.15, got the number 1000001"
    `);
  });

  it('for a model that no entry uses are refused', () => {
    const price = '{input: 1, output: 2}';
    const traffic =
      'traffic: [{kind: chat, model: weir/small}, {kind: chat, model: big}, {kind: speech, model: tts}]\n';
    const text = `${traffic}${load}prices:
  weir/smal: ${price}
  tts: ${price}
  other: ${price}
  bigg: ${price}
  big: ${price}
`;
    expect(problemsOf(text)).toMatchInlineSnapshot(`
      "f.yaml:4:3: no entry uses "weir/smal"; did you mean "weir/small"?
      f.yaml:5:8: expected a price of speech such as {perCharacter: 0.000015}
      f.yaml:6:3: no entry uses "other"; leave its price out, or use the model
      f.yaml:7:3: no entry uses "bigg"; leave its price out, or use the model"
    `);
  });

  it('do not reveal values of the environment', () => {
    const text = `traffic: [{kind: chat, model: "\${env:M}"}]\n${load}prices: {hunter23: {input: 1, output: 2}}\n`;
    const problems = problemsOf(text, { environment: { M: 'hunter22' } });
    expect(problems).toContain('no entry uses "hunter23"');
    expect(problems).not.toContain('hunter22');
  });

  it('belong at the top level, not in an entry', () => {
    const text = `traffic:\n  - {kind: chat, model: m, price: {input: 1, output: 2}}\n${load}`;
    expect(problemsOf(text)).toMatchInlineSnapshot(
      `"f.yaml:2:28: "price" is not a key of the kind "chat"; did you mean "prices" at the top of the scenario?"`,
    );
  });
});

/** A row of LiteLLM's table, model_prices_and_context_window.json of 1.80.0 and 1.110.2, without what is no price. */
const liteLlm = {
  sample_spec: { litellm_provider: 'one of …', input_cost_per_token: 0 },
  'gpt-4o': {
    litellm_provider: 'openai',
    mode: 'chat',
    input_cost_per_token: 2.5e-6,
    output_cost_per_token: 1e-5,
    cache_read_input_token_cost: 1.25e-6,
    max_input_tokens: 128_000,
  },
  'claude-sonnet-4-5': {
    litellm_provider: 'anthropic',
    mode: 'chat',
    input_cost_per_token: 3e-6,
    output_cost_per_token: 1.5e-5,
    cache_read_input_token_cost: 3e-7,
    cache_creation_input_token_cost: 3.75e-6,
    input_cost_per_token_above_200k_tokens: 6e-6,
    // Hours of a cache are no long prompt.
    cache_creation_input_token_cost_above_1hr: 6e-6,
  },
  'claude-sonnet-latest': { alias_of: 'claude-sonnet-4-5' },
  fallback_generalizations: { rules: [{ name: 'a', pattern: '^claude-' }] },
  'gemini/gemini-2.5-flash': {
    litellm_provider: 'gemini',
    mode: 'chat',
    input_cost_per_token: 3e-7,
    output_cost_per_token: 2.5e-6,
    input_cost_per_audio_token: 1e-6,
    output_cost_per_reasoning_token: 2.5e-6,
    cache_read_input_token_cost: 3e-8,
  },
  'whisper-1': {
    litellm_provider: 'openai',
    mode: 'audio_transcription',
    input_cost_per_second: 0.0001,
    output_cost_per_second: 0.0001,
  },
  'stt-async': {
    litellm_provider: 'soniox',
    mode: 'audio_transcription',
    input_cost_per_second: 0,
    output_cost_per_second: 2.77778e-5,
  },
  'tts-1': { litellm_provider: 'openai', mode: 'audio_speech', input_cost_per_character: 1.5e-5 },
  'gpt-4o-transcribe': {
    litellm_provider: 'openai',
    mode: 'audio_transcription',
    input_cost_per_token: 2.5e-6,
    output_cost_per_token: 1e-5,
  },
};

const withFiles = (files: Readonly<Record<string, string>>) => {
  const absent = (file: string) => ({ ok: false as const, problem: `${file} is missing` });
  return {
    workload: {
      media: absent,
      text: absent,
      dataset: absent,
      tokenizer: absent,
      trace: ({ file }: { readonly file: string }) => absent(file),
      findings: () => ({ ok: false as const, problem: 'no findings are named here' }),
      prices: (file: string) =>
        file in files ? { ok: true as const, value: files[file]! } : absent(file),
    },
  };
};

const planOf = (text: string, more: Partial<ScenarioSource> = {}) => {
  const reading = read(text, more);
  if (!reading.ok) throw new Error(problemsText(reading.problems, 'f.yaml'));
  return reading.plan;
};

const pricesIn = (text: string, more: Partial<ScenarioSource> = {}): unknown =>
  planOf(text, more).stages[0]!.traffic.map((entry) => 'price' in entry && entry.price);

describe('prices by class', () => {
  const audio =
    'traffic: [{kind: speech, model: tts-1}, {kind: transcription, model: whisper-1}]\n';

  it('have a field for each class of tokens and for the request', () => {
    const own =
      '{input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15, reasoning: 14, audioInput: 40, audioOutput: 80, request: 0.001, maxInput: 200000}';
    expect((pricesIn(`${chat}${load}prices: {c: ${own}}\n`) as unknown[])[1]).toEqual({
      input: 3_000_000,
      cachedInput: 300_000,
      cacheWrite: 3_750_000,
      output: 15_000_000,
      reasoning: 14_000_000,
      audioInput: 40_000_000,
      audioOutput: 80_000_000,
      request: 1000,
      maxInput: 200_000,
    });
  });

  it('of audio are by model, or by kind for all models of the kind', () => {
    const byKind =
      'prices: {speech: {perCharacter: 0.00003}, transcription: {perSecond: 0.0001, roundUpTo: 15s}}\n';
    const expected = [{ perCharacter: 30_000_000 }, { perSecond: 100_000_000, roundUpTo: 15_000 }];
    expect(pricesIn(`${audio}${load}${byKind}`)).toEqual(expected);
    expect(pricesIn(`${audio}${load}prices: {tts-1: {perSecond: 0.00025}}\n`)).toEqual([
      { perSecond: 250_000_000 },
      false,
    ]);
  });

  it('name a currency and a date', () => {
    const text = `${chat}${load}prices: {currency: EUR, date: 2026-11-01, c: {input: 1, output: 2}}\n`;
    expect(planOf(text).pricing).toEqual({ currency: 'EUR', date: '2026-11-01' });
    expect(planOf(`${chat}${load}`)).not.toHaveProperty('pricing');
  });

  it('come from a file, which the scenario’s own prices precede', () => {
    const file =
      'date: 2026-10-01\ncurrency: USD\nc: {input: 1, output: 2}\na/b: {input: 7, output: 8}\nunused: {input: 1, output: 1}\n';
    const text = `${chat}${load}prices: {file: p.yaml, c: {input: 3, output: 4}}\n`;
    const files = withFiles({ 'p.yaml': file });
    expect(pricesIn(text, files)).toEqual([
      { input: 7_000_000, output: 8_000_000 },
      { input: 3_000_000, output: 4_000_000 },
    ]);
    expect(planOf(text, files).pricing).toEqual({
      currency: 'USD',
      date: '2026-10-01',
      file: 'p.yaml',
    });
  });

  it('come from LiteLLM’s public table', () => {
    const names = Object.keys(liteLlm).filter((name) => /gpt-4o$|claude|gemini/.test(name));
    const chats = names.map((name) => `{kind: chat, model: ${name}}`);
    const others =
      '{kind: speech, model: tts-1}, {kind: transcription, model: whisper-1}, {kind: transcription, model: stt-async}, {kind: transcription, model: gpt-4o-transcribe}, {kind: chat, model: none}';
    const text = `traffic: [${chats.join(', ')}, ${others}]\n${load}prices: {file: l.json, date: 2025-11-15}\n`;
    const files = withFiles({ 'l.json': JSON.stringify(liteLlm) });
    expect(pricesIn(text, files)).toEqual([
      { input: 2_500_000, output: 10_000_000, cachedInput: 1_250_000 },
      ...['claude-sonnet-4-5', 'claude-sonnet-latest'].map(() => ({
        input: 3_000_000,
        output: 15_000_000,
        cachedInput: 300_000,
        cacheWrite: 3_750_000,
        maxInput: 200_000,
      })),
      {
        input: 300_000,
        output: 2_500_000,
        cachedInput: 30_000,
        audioInput: 1_000_000,
        reasoning: 2_500_000,
      },
      { perCharacter: 15_000_000 },
      { perSecond: 100_000_000 },
      { perSecond: 27_777_800 },
      // This model is priced by tokens, which a transcript does not report: the cost is unknown, not that of others.
      null,
      null,
    ]);
    expect(planOf(text, files).pricing?.currency).toBe('USD');
  });

  it('that do not fit their traffic, and files that are no prices, are refused at their place', () => {
    const files = withFiles({
      'bad.yaml': 'c: {inptu: 1}',
      'text.txt': 'hello',
      'p.yaml': 'file: q',
    });
    for (const file of ['bad.yaml', 'text.txt', 'p.yaml', 'no.yaml'])
      expect(problemsOf(`${chat}${load}prices: {file: ${file}}\n`, files)).toMatch(
        new RegExp(`^f.yaml:3:16: ${file}`),
      );
    expect(problemsOf(`${chat}${load}prices: {c: {input: 1}}\n`)).toMatch(/"output" is missing/);
    expect(
      problemsOf(
        `${audio}${load}prices: {tts-1: {input: 1, output: 1}, whisper-1: {perCharacter: 1}}\n`,
      ),
    ).toMatchInlineSnapshot(`
      "f.yaml:3:17: expected a price of speech such as {perCharacter: 0.000015}
      f.yaml:3:51: expected a price of transcription such as {perSecond: 0.0001}"
    `);
  });
});
