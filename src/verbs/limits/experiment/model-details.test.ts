import { describe, expect, it } from 'vitest';
import { cheapestModel, modelDetails } from './model-details.ts';

describe('what a list says of a model', () => {
  it('is its context, in the field of any software', () => {
    for (const field of [
      'context_length',
      'max_model_len',
      'context_window',
      'max_context_length',
      'max_input_tokens',
    ])
      expect(modelDetails({ [field]: 4096 }), field).toEqual({ context: 4096, price: null });
    expect(modelDetails({ context_length: 0, max_model_len: '8192' }).context).toBe(8192);
    expect(modelDetails({ context_length: 1, max_model_len: 2 }).context).toBe(1);
    for (const wrong of [0, -1, '', ' ', 'many', null, Infinity])
      expect(modelDetails({ context_length: wrong }).context, String(wrong)).toBe(null);
  });

  it('is its price, as OpenRouter or LiteLLM names it, of input, of output and from a cache', () => {
    expect(
      modelDetails({
        pricing: { prompt: '0.0000015', completion: 0.000002, input_cache_read: '0.0000001' },
      }).price,
    ).toEqual({ input: 1_500_000, output: 2_000_000, cached: 100_000 });
    const lite = { input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 };
    expect(modelDetails(lite).price).toEqual({ input: 1_000_000, output: 2_000_000 });
    expect(modelDetails({ ...lite, cache_read_input_token_cost: 1e-7 }).price?.cached).toBe(
      100_000,
    );
    expect(modelDetails({ ...lite, pricing: { prompt: 3e-6 } }).price?.input).toBe(3_000_000);
    expect(modelDetails({ ...lite, pricing: { completion: 0 } }).price?.output).toBe(0);
    expect(modelDetails({ input_cost_per_token: 1e-6 }).price).toBe(null);
    expect(modelDetails({ output_cost_per_token: 1e-6 }).price).toBe(null);
    expect(modelDetails({ pricing: 'free' }).price).toBe(null);
    expect(modelDetails({ pricing: { prompt: '-1', completion: '-1' } }).price).toBe(null);
  });
});

describe('the cheapest model', () => {
  const details = new Map([
    ['dear', { context: 9000, price: { input: 5, output: 1 } }],
    ['small', { context: 999, price: { input: 1, output: 1 } }],
    ['fits', { context: 1000, price: { input: 3, output: 9 } }],
    ['unknown', { context: null, price: { input: 4, output: 1 } }],
    ['free', { context: 9000, price: { input: 0, output: 0 } }],
    ['unpriced', { context: 9000, price: null }],
  ]);

  it('has a price, and a context that is large enough or unknown', () => {
    const all = [...details.keys()];
    expect(cheapestModel(all, details, 1000)).toBe('fits');
    expect(cheapestModel(all, details, 1001)).toBe('unknown');
    expect(cheapestModel(all, details, 999)).toBe('small');
    expect(cheapestModel(['dear'], details, 9000)).toBe('dear');
    expect(cheapestModel(['dear'], details, 9001)).toBe(null);
    expect(cheapestModel(['free', 'unpriced', 'unlisted'], details, 1)).toBe(null);
  });
});
