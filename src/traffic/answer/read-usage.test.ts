import { describe, expect, it } from 'vitest';
import { replay } from '../kinds/replay.fixture.ts';
import {
  including,
  doneData,
  expectCompleted,
  readEverySplit,
  sseEvents,
  stopChunk,
  textChunk,
} from '../kinds/stream-bodies.fixture.ts';

import { laterUsage, readUsage } from './read-usage.ts';

const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 };
const choice = {
  index: 0,
  message: { role: 'assistant', content: 'hello' },
  finish_reason: 'stop',
};

/** Where servers report five tokens of input and two of output. */
const places: readonly (readonly [server: string, fields: object])[] = [
  ['the interface', { usage }],
  ['a server that writes texts', { usage: { prompt_tokens: '5', completion_tokens: '2' } }],
  ['a server that writes fractions', { usage: { prompt_tokens: 5, completion_tokens: 2.25 } }],
  ['Anthropic’s names', { usage: { input_tokens: 5, output_tokens: 2 } }],
  ['the AI SDK', { usage: { promptTokens: 5, completionTokens: 2 } }],
  ['Groq', { x_groq: { usage } }],
  ['SGLang’s own API', { meta_info: { prompt_tokens: 5, completion_tokens: 2 } }],
  ['Gemini', { usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2 } }],
  ['Gemini for Python', { usage_metadata: { promptTokenCount: 5, candidatesTokenCount: 2 } }],
  ['LangChain', { token_usage: usage }],
  ['Cohere', { meta: { tokens: { input_tokens: 5, output_tokens: 2 } } }],
  ['Cohere’s API v2', { usage: { tokens: { input_tokens: 5, output_tokens: 2 } } }],
  ['Cohere’s bill', { usage: { billed_units: { input_tokens: 5, output_tokens: 2 } } }],
  ['Bedrock’s Converse', { metadata: { usage: { inputTokens: 5, outputTokens: 2 } } }],
  [
    'Bedrock’s other API',
    { 'amazon-bedrock-invocationMetrics': { inputTokenCount: 5, outputTokenCount: 2 } },
  ],
  ['the Responses API', { response: { usage: { input_tokens: 5, output_tokens: 2 } } }],
  ['Workers AI', { result: { usage } }],
  ['a field with the name of a usage', { usage_info: usage }],
  ['an event that is a usage', usage],
  ['LiteLLM’s hidden parameters', { _hidden_params: { usage } }],
  ['LangChain’s output', { llm_output: { token_usage: usage } }],
  ['Ollama’s own API', { prompt_eval_count: 5, eval_count: 2 }],
  ['llama.cpp’s timings', { timings: { prompt_n: 3, cache_n: 2, predicted_n: 2 } }],
  ['a server that counts in and out', { usage: { tokens_in: 5, tokens_out: 2 } }],
  ['a server with short words', { usage: { prompt: 5, completion: 2, total: 7 } }],
  ['a server that numbers', { usage: { num_prompt_tokens: 5, num_generated_tokens: 2 } }],
  ['SambaNova’s own API', { usage: { prompt_tokens_count: 5, completion_tokens_count: 2 } }],
  ['Baichuan', { usage: { prompt_tokens: 5, answer_tokens: 2, total_tokens: 7 } }],
  ['watsonx', { results: [{ input_token_count: 5, generated_token_count: 2 }] }],
  ['iFlytek Spark', { payload: { usage: { text: { question_tokens: 1, ...usage } } } }],
  ['statistics', { stats: { promptTokens: 5, outputTokens: 2 } }],
  ['an empty usage beside another place', { usage: {}, x_groq: { usage } }],
];
/** Usages in which the tokens of reasoning are counted apart from the output, and in which they are not. */
const reasoning: readonly (readonly [server: string, fields: object])[] = [
  [
    'xAI',
    {
      prompt_tokens: 5,
      completion_tokens: 2,
      total_tokens: 37,
      completion_tokens_details: { reasoning_tokens: 30 },
    },
  ],
  [
    'Gemini',
    { promptTokenCount: 5, candidatesTokenCount: 2, thoughtsTokenCount: 30, totalTokenCount: 37 },
  ],
  [
    'OpenAI',
    {
      prompt_tokens: 5,
      completion_tokens: 32,
      total_tokens: 37,
      completion_tokens_details: { reasoning_tokens: 30 },
    },
  ],
];

it.each(reasoning)('the output of %s has the tokens of reasoning', (_, fields) => {
  expect(readUsage({ usage: fields })).toMatchObject({ input: 5, output: 32, isOdd: false });
});

it.each([
  { total_usage: usage },
  { session_usage: usage },
  { daily_token_usage: usage },
  { usage_limits: usage },
  { previous_usage: usage },
  { key_usage: usage },
  { remaining_tokens: usage },
  { guardrail: { usage } },
  { choices: [{ index: 0, usage_info: usage }] },
])('%j is no usage of the answer', (fields) => {
  expect(readUsage(fields)).toBeNull();
});

it('reasoning is added only by a total that is the sum, or if the answer is too short for it', () => {
  const within = {
    prompt_tokens: 5,
    completion_tokens: 40,
    total_tokens: 76,
    reasoning_tokens: 30,
  };
  expect(readUsage({ usage: within })).toMatchObject({ output: 40, isOff: true });
  // More reasoning than the whole answer is beside it, whatever the total.
  const more = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 38, reasoning_tokens: 30 };
  expect(readUsage({ usage: more })).toMatchObject({ output: 32, isOff: true });
});

it('reasoning is added by a total that is the sum without the count of the input, too', () => {
  const without = { completion_tokens: 40, reasoning_tokens: 30 };
  const outputs = [70, 71, 40].map((total) =>
    readUsage({ usage: { ...without, total_tokens: total } }),
  );
  expect(outputs).toMatchObject([
    { input: null, output: 70 },
    { input: null, output: 40 },
    { input: null, output: 40 },
  ]);
});

it('zeros at the end of a stream replace no counts', () => {
  const first = readUsage({ usage: { prompt_tokens: 5, completion_tokens: 2 } })!;
  const zeros = readUsage({ usage: { prompt_tokens: 0, completion_tokens: 0 } })!;
  expect(laterUsage(first, zeros)).toMatchObject({ input: 5, output: 2 });
  expect(laterUsage(zeros, first)).toMatchObject({ input: 5, output: 2 });
  expect(laterUsage(zeros, zeros)).toMatchObject({ input: 0, output: 0 });
});

const rows = places.map(([server, fields]) => ({ server, fields }));
const tokens = { input: 5, output: 2, source: 'usage' };

describe('the usage of an answer', () => {
  it.each(rows)('is read where $server writes it, whole', ({ fields }) => {
    const body = Buffer.from(JSON.stringify({ choices: [choice], ...fields }));
    expect(
      replay('chat', [body], { headers: { 'content-type': 'application/json' } }),
    ).toMatchObject({ kind: 'completed', answer: { tokens, notes: [] } });
  });

  it.each(rows)('is read where $server writes it, streamed', ({ fields }) => {
    // llama.cpp's timings also name the tokens from its cache.
    const cached = 'timings' in fields ? { cached: 2 } : {};
    for (const events of [[{ ...stopChunk, ...fields }], [stopChunk, { choices: [], ...fields }]]) {
      const body = sseEvents(textChunk('a'), textChunk('b'), ...events, doneData);
      expect(readEverySplit(body)).toEqual(
        expectCompleted({ tokens: including({ ...tokens, ...cached }), notes: [] }),
      );
    }
  });

  it.each([
    { usage: { prompt_tokens: -1, completion_tokens: null } },
    { usage: [usage] },
    { usage: 7 },
    { usage: { total_tokens: 7 } },
    { timings: { prompt_n: 'x', predicted_n: 2 } },
    { metadata: { usage: 'none' }, response: 'text', result: null },
  ])('is %j for nobody, and fails no answer', (fields) => {
    const body = sseEvents(textChunk('a'), { ...stopChunk, ...fields }, doneData);
    expect(readEverySplit(body)).toMatchObject({
      kind: 'completed',
      answer: { tokens: { output: 1, source: 'events' } },
    });
  });
});

describe('the tokens of a prompt that came from a cache', () => {
  it('are not read from prices, from text or from impossible counts', () => {
    for (const fields of [
      { input: 0.0005, output: 0.001 },
      { input: 'Hello', output: 'Hi' },
      { prompt: 2 ** 60, completion: 1e300 },
      { prompt_tokens: 2 ** 53 + 2, completion_tokens: '90071992547409930' },
    ])
      expect(readUsage({ usage: fields })).toMatchObject({ input: null, output: null });
  });

  it('are read under the names of the interface, the Anthropic API and DeepSeek', () => {
    const plain = { prompt_tokens: 100, completion_tokens: 2 };
    const cachedOf = (fields: object) =>
      readUsage({ usage: { ...plain, ...fields } })?.classes.cached;
    expect(cachedOf({ prompt_tokens_details: { cached_tokens: 90 } })).toBe(90);
    expect(cachedOf({ input_tokens_details: { cached_tokens: 80 } })).toBe(80);
    expect(cachedOf({ cache_read_input_tokens: 70 })).toBe(70);
    expect(cachedOf({ prompt_cache_hit_tokens: 60 })).toBe(60);
    expect(cachedOf({ prompt_tokens_details: null })).toBeUndefined();
    // No tokens from a cache is a count, too: the share of a run would be too high without it.
    expect(cachedOf({ prompt_tokens_details: { cached_tokens: 0 } })).toBe(0);
  });

  it('keep an answer from being learned where a learned form reads no such count', () => {
    const counts = { prompt_tokens: 100, completion_tokens: 2 };
    const isPlain = (details: object) => readUsage({ usage: { ...counts, ...details } })?.isPlain;
    expect(isPlain({})).toBe(true);
    // A learned form has a place for these two counts.
    expect(isPlain({ prompt_tokens_details: { cached_tokens: 1 } })).toBe(true);
    expect(isPlain({ completion_tokens_details: { reasoning_tokens: 1 } })).toBe(true);
    expect(isPlain({ input_tokens_details: { cached_tokens: 1 } })).toBe(false);
    expect(isPlain({ prompt_cache_hit_tokens: 1 })).toBe(false);
    expect(isPlain({ prompt_tokens_details: { audio_tokens: 1 } })).toBe(false);
    expect(isPlain({ ...counts, total_tokens: 103 })).toBe(false);
  });

  it('are those of the last event that names them', () => {
    const counts = { prompt_tokens: 100, completion_tokens: 1 };
    const first = readUsage({ usage: { ...counts, prompt_tokens_details: { cached_tokens: 64 } } });
    const last = readUsage({ usage: { ...counts, completion_tokens: 2 } })!;
    expect(laterUsage(first, last)).toMatchObject({ output: 2, classes: { cached: 64 } });
  });

  const details: readonly unknown[] = [
    null,
    {},
    [],
    'no object',
    0,
    { cached_tokens: 0, audio_tokens: 0 },
    { audio_tokens: 0, image_tokens: null },
    { cached_tokens: null },
    { cached_tokens: 3 },
    { cached_tokens: 0, cached_tokens_details: { audio_tokens: 0 } },
    { audio_tokens: 2, cached_tokens: 0 },
    { reasoning_tokens: 0, accepted_prediction_tokens: 0 },
    { reasoning_tokens: 2 },
    { reasoning_tokens: '0' },
    [{ modality: 'AUDIO', tokenCount: 1 }],
  ];
  it.each(details)(
    'are the same beside a field without meaning, which is read slowly: %j',
    (one) => {
      const counts = { prompt_tokens: 9, completion_tokens: 4 };
      for (const total of [{}, { total_tokens: 13 }, { total_tokens: 14 }])
        for (const name of ['prompt_tokens_details', 'completion_tokens_details'])
          for (const known of [counts, { prompt_tokens: 9 }, { completion_tokens: 4 }]) {
            const own = { ...known, ...total, [name]: one };
            expect(readUsage({ usage: own })).toEqual(readUsage({ usage: { ...own, odd: 'x' } }));
          }
    },
  );
});
