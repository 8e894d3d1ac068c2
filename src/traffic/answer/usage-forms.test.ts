import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../model/observation/outcome.ts';
import type { Price } from '../../model/workload/price.ts';
import { contextWith, replay } from '../kinds/replay.fixture.ts';
import { doneData, sseEvents, stopChunk, textChunk } from '../kinds/stream-bodies.fixture.ts';
import { sampleTraffic } from '../sample-traffic.fixture.ts';
import type { FormTokens, UsageForm } from './usage-form.fixture.ts';
import { usageForms } from './usage-forms.fixture.ts';

/** The price of each class in units per million tokens, each different, so that no class stands in for another. */
const prices = {
  input: '2.5',
  cachedInput: '0.31',
  cacheWrite: '3.125001',
  audioInput: '40',
  output: '10.000007',
  reasoning: '11.3',
  audioOutput: '80.9',
} as const satisfies Record<keyof FormTokens, string>;

const micros = (units: string): bigint => {
  const [whole = '0', part = ''] = units.split('.');
  return BigInt(whole + part.padEnd(6, '0'));
};

/** The cost in millionths by whole numbers of any size, rounded half up. */
const costOf = (
  tokens: FormTokens,
  of: Partial<Record<keyof FormTokens, string>> = prices,
): number => {
  const sum = Object.entries(tokens).reduce(
    (whole, [name, count]) =>
      whole + BigInt(count as number) * micros(of[name as keyof FormTokens] ?? '0'),
    0n,
  );
  return Number((sum + 500_000n) / 1_000_000n);
};

const price = Object.fromEntries(
  Object.entries(prices).map(([name, units]) => [name, Number(micros(units))]),
) as unknown as Price;

const whole = (
  fields: object,
  entry: object = { price },
  n = 1,
  context = contextWith(),
): Outcome => {
  const choices = Array.from({ length: n }, (_, index) => ({
    index,
    message: { role: 'assistant', content: 'hello' },
    finish_reason: 'stop',
  }));
  const body = Buffer.from(JSON.stringify({ id: 'a', choices, ...fields }));
  const headers = { 'content-type': 'application/json' };
  return replay({ ...sampleTraffic.chat, ...entry }, [body], { headers }, context);
};

const streamed = (
  events: readonly object[],
  entry: object = { price },
  context = contextWith(),
): Outcome => {
  const body = Buffer.from(sseEvents(textChunk('a'), textChunk('b'), ...events, doneData));
  return replay({ ...sampleTraffic['chat-stream'], ...entry }, [body], {}, context);
};

const sideOf = (tokens: FormTokens, names: readonly (keyof FormTokens)[]): number =>
  names.reduce((sum, name) => sum + (tokens[name] ?? 0), 0);

const expected = ({ tokens, isOff = false }: UsageForm) => ({
  kind: 'completed',
  answer: {
    tokens: {
      input: sideOf(tokens, ['input', 'cachedInput', 'cacheWrite', 'audioInput']),
      output: sideOf(tokens, ['output', 'reasoning', 'audioOutput']),
      source: 'usage',
    },
    cost: costOf(tokens),
    notes: isOff ? ['usage-total'] : [],
  },
});

describe('the cost of an answer, to the millionth', () => {
  it('is tried with at least forty forms of usage, each with its source', () => {
    expect(usageForms.length).toBeGreaterThanOrEqual(40);
    expect(new Set(usageForms.map(({ name }) => name)).size).toBe(usageForms.length);
    expect(usageForms.every(({ source }) => source !== '')).toBe(true);
  });

  it.each(usageForms)('is right for $name, whole ($source)', (form) => {
    expect(whole(form.fields)).toMatchObject(expected(form));
  });

  it.each(usageForms)('is right for $name, streamed', (form) => {
    expect(streamed([{ ...stopChunk, ...form.fields }])).toMatchObject(expected(form));
    expect(streamed([stopChunk, { choices: [], ...form.fields }])).toMatchObject(expected(form));
  });

  it.each(usageForms)('is the same for $name if a template has learned other counts', (form) => {
    const context = contextWith();
    const body = (fields: object): Buffer =>
      Buffer.from(
        JSON.stringify({
          choices: [{ message: { content: 'hello' }, finish_reason: 'stop' }],
          ...fields,
        }),
      );
    const read = (fields: object): Outcome =>
      replay(
        { ...sampleTraffic.chat, price },
        [body(fields)],
        { headers: { 'content-type': 'application/json' } },
        context,
      );
    const plain = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
    for (const usage of [plain, { ...plain, prompt_tokens_details: { cached_tokens: 0 } }])
      read({ usage });
    const other = JSON.stringify(form.fields).replaceAll(/\d+/g, '1');
    read(JSON.parse(other) as object);
    expect(read(form.fields)).toMatchObject(expected(form));
    expect(read(form.fields)).toMatchObject(expected(form));
  });

  it('is what xAI charged for an answer that it billed itself', () => {
    const grok = { input: 1_250_000, cachedInput: 200_000, output: 2_500_000 };
    const form = usageForms.find(({ name }) => name === 'xAI, cached and reasoning')!;
    // 232,856,000 ticks of 10⁻¹⁰ dollars.
    expect(whole(form.fields, { price: grok })).toMatchObject({ answer: { cost: 23_286 } });
  });

  it('is that of the parser for any counts of a learned form, whole and streamed', () => {
    const count = fc.nat({ max: 300 });
    const [wholes, streams] = [contextWith(), contextWith()];
    fc.assert(
      fc.property(
        count,
        count,
        count,
        count,
        fc.boolean(),
        (input, output, cached, reasoning, off) => {
          const usage = {
            prompt_tokens: input,
            completion_tokens: output + 1,
            total_tokens: input + output + 1 + (off ? reasoning : 0),
            prompt_tokens_details: { cached_tokens: cached },
            completion_tokens_details: { reasoning_tokens: reasoning },
          };
          // Only the parser of a slice that answered before knows of an answer to the same prompt.
          expect(whole({ usage }, { price }, 1, wholes)).toMatchObject(whole({ usage }));
          const events = [stopChunk, { choices: [], usage }];
          expect(streamed(events, { price }, streams)).toMatchObject(streamed(events));
        },
      ),
    );
  });

  it('follows cumulative counts in each chunk, of which the last ones count', () => {
    const chunk = (content: string, count: number, more = {}) => ({
      ...textChunk(content),
      usage: {
        prompt_tokens: 10,
        completion_tokens: count,
        total_tokens: 10 + count,
        prompt_tokens_details: { cached_tokens: 4 },
        ...more,
      },
    });
    const events = [chunk('a', 1), chunk('b', 2), chunk('c', 3), { ...stopChunk, usage: null }];
    const tokens = { input: 6, cachedInput: 4, output: 3 };
    expect(streamed(events)).toMatchObject({ answer: { cost: costOf(tokens) } });
    const zeros = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
    // Some gateways end such a stream with a usage of none.
    expect(streamed([...events, { choices: [], usage: zeros }])).toMatchObject({
      answer: { tokens: { input: 10, output: 3, cached: 4 }, cost: costOf(tokens) },
    });
  });

  it('follows Anthropic’s events: the prompt at the start, the answer at the end', () => {
    const start = { input_tokens: 25, cache_read_input_tokens: 1000, output_tokens: 1 };
    const events = [
      { ...textChunk('a'), usage: start },
      { ...stopChunk, usage: { output_tokens: 15 } },
    ];
    expect(streamed(events)).toMatchObject({
      answer: { cost: costOf({ input: 25, cachedInput: 1000, output: 15 }) },
    });
  });

  it('counts every choice once, whether usage is of the answer or of each choice', () => {
    const usage = { prompt_tokens: 19, completion_tokens: 20, total_tokens: 39 };
    expect(whole({ usage }, { price, body: { n: 2 } }, 2)).toMatchObject({
      answer: { cost: costOf({ input: 19, output: 20 }) },
    });
    const ofChoice = (index: number, count: number) => ({
      choices: [
        {
          index,
          delta: {},
          finish_reason: 'stop',
          usage: { prompt_tokens: 19, completion_tokens: count, total_tokens: 19 + count },
        },
      ],
    });
    // Moonshot writes the usage of each choice into its last chunk.
    expect(streamed([ofChoice(0, 13), ofChoice(1, 8)])).toMatchObject({
      answer: { tokens: { input: 19, output: 21 }, cost: costOf({ input: 19, output: 21 }) },
    });
  });

  it('has the price of other input and output for classes without a separate price', () => {
    const fields = {
      usage: {
        prompt_tokens: 100,
        completion_tokens: 50,
        prompt_tokens_details: { cached_tokens: 90 },
        completion_tokens_details: { reasoning_tokens: 40 },
      },
    };
    const two = { input: 2_000_000, output: 3_000_000 };
    expect(whole(fields, { price: two })).toMatchObject({ answer: { cost: 350 } });
    const own = { ...two, cachedInput: 0, request: 7 };
    expect(whole(fields, { price: own })).toMatchObject({ answer: { cost: 177 } });
  });

  it('has an unknown cost if the prompt is too long for the price', () => {
    const own = { input: 2_000_000, output: 3_000_000, maxInput: 200_000 };
    const costOfPrompt = (prompt_tokens: number) =>
      whole({ usage: { prompt_tokens, completion_tokens: 2 } }, { price: own });
    expect(costOfPrompt(200_000)).toMatchObject({ answer: { cost: 400_006 } });
    expect(costOfPrompt(200_001)).toMatchObject({ answer: { cost: null } });
  });

  it('is exact where floating point is not, and rounds a half up', () => {
    const usage = { prompt_tokens: 999_999_999, completion_tokens: 1 };
    expect(whole({ usage }, { price: { input: 7_999_999, output: 500_000 } })).toMatchObject({
      answer: { cost: Number((999_999_999n * 7_999_999n + 500_000n + 500_000n) / 1_000_000n) },
    });
    const one = { prompt_tokens: 1, completion_tokens: 0 };
    for (const [input, cost] of [
      [499_999, 0],
      [500_000, 1],
      [1_499_999, 1],
      [1_500_000, 2],
    ])
      expect(
        whole({ usage: { ...one, completion_tokens: 1 } }, { price: { input, output: 0 } }),
      ).toMatchObject({
        answer: { cost },
      });
  });
});
