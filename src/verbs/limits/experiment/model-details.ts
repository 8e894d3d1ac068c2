import type { ModelDetails } from './probe-requests.ts';

/**
 * The names that gateways give to a model's context, in tokens: OpenRouter and Together; vLLM; Groq; Mistral; LiteLLM.
 */
const contextFields = [
  'context_length',
  'max_model_len',
  'context_window',
  'max_context_length',
  'max_input_tokens',
] as const;

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

const numberOf = (value: unknown): number | null => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : null;
};

const million = 1e6;

/** Returns a price in micro-units for a million tokens, from the price of one token. */
const perMillion = (price: unknown): number | null => {
  const number = numberOf(price);
  return number === null ? null : Math.round(number * million * million);
};

const priceOf = (model: Readonly<Record<string, unknown>>): ModelDetails['price'] => {
  const prices = objectOf(model['pricing']);
  const { prompt, completion } = prices;
  // The lists of OpenRouter and LiteLLM give the price of one token.
  const input = perMillion(prompt ?? model['input_cost_per_token']);
  const output = perMillion(completion ?? model['output_cost_per_token']);
  const cached = perMillion(prices['input_cache_read'] ?? model['cache_read_input_token_cost']);
  return input === null || output === null
    ? null
    : { input, output, ...(cached === null ? {} : { cached }) };
};

/** Reads the context and the prices of a model from its entry in a list. */
export const modelDetails = (model: Readonly<Record<string, unknown>>): ModelDetails => {
  const contexts = contextFields.flatMap((field) => numberOf(model[field]) ?? []);
  return { context: contexts.find((context) => context > 0) ?? null, price: priceOf(model) };
};

/**
 * Returns the model with the cheapest prompts among the models whose context is large enough or unknown; `null` if no
 * such model has a price.
 */
export const cheapestModel = (
  models: readonly string[],
  details: ReadonlyMap<string, ModelDetails>,
  context: number,
): string | null => {
  const priced = models.flatMap((id) => {
    const { price = null, context: own = null } = details.get(id) ?? {};
    return price === null || price.input === 0 || (own !== null && own < context)
      ? []
      : [{ id, input: price.input }];
  });
  return priced.toSorted((a, b) => a.input - b.input)[0]?.id ?? null;
};
