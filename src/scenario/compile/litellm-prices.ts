import type { ModelPrice } from '../schema/prices-schema.ts';

/**
 * This file reads LiteLLM's public price table, model_prices_and_context_window.json: a row for each model, with prices
 * in dollars for one token, character or second. Prices for batches, service tiers and off-peak hours are not read. If
 * long prompts have other prices, only the length from which these prices apply is read, so the cost of long prompts is
 * unknown.
 */

type Row = Readonly<Record<string, unknown>>;

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** LiteLLM's name for each price per token. */
const tokenFields = {
  input: 'input_cost_per_token',
  cachedInput: 'cache_read_input_token_cost',
  cacheWrite: 'cache_creation_input_token_cost',
  audioInput: 'input_cost_per_audio_token',
  output: 'output_cost_per_token',
  reasoning: 'output_cost_per_reasoning_token',
  audioOutput: 'output_cost_per_audio_token',
} as const satisfies Partial<Record<keyof ModelPrice, string>>;

/** Converts a price in dollars for one unit to millionths of a dollar for a million units. */
const perMillion = (dollars: unknown): number | undefined =>
  typeof dollars === 'number' && dollars >= 0 && dollars < 1000
    ? Math.round(dollars * 1e12)
    : undefined;

/**
 * Returns the maximum length of a prompt, in tokens, to which the usual prices apply; `undefined` if the table has no
 * other prices for long prompts.
 */
const maxInputOf = (row: Row): number | undefined => {
  const starts = Object.entries(row).flatMap(([field, price]) => {
    const [, usual, thousands] = /^(\w+?)_above_(\d+)k_tokens$/.exec(field) ?? [];
    return usual === undefined || price === null || row[usual] === price
      ? []
      : [Number(thousands) * 1000];
  });
  return starts.length === 0 ? undefined : Math.min(...starts);
};

const priceOf = (row: Row): ModelPrice => {
  const tokens = Object.entries(tokenFields).map(
    ([name, field]) => [name, perMillion(row[field])] as const,
  );
  const request = row['input_cost_per_request'];
  const { input_cost_per_second: inputSecond, output_cost_per_second: outputSecond } = row;
  // For some transcription models, the table has the price in the field for output. The field for input is then 0 or
  // absent.
  const isOutput =
    row['mode'] === 'audio_speech' || inputSecond === 0 || typeof inputSecond !== 'number';
  return {
    ...Object.fromEntries(tokens),
    maxInput: maxInputOf(row),
    request: typeof request === 'number' ? Math.round(request * 1e6) : undefined,
    perCharacter: perMillion(row['input_cost_per_character']),
    perSecond: perMillion(isOutput ? outputSecond : inputSecond),
  };
};

/**
 * Returns whether a document is LiteLLM's table. The rows of the table name their provider, except for aliases and
 * rules for names.
 */
export const isLiteLlmTable = (document: unknown): document is Readonly<Record<string, Row>> =>
  isRow(document) &&
  Object.values(document).every((row) => isRow(row)) &&
  Object.values(document).some((row) => isRow(row) && typeof row['litellm_provider'] === 'string');

/** Returns the price of a model in LiteLLM's table; `undefined` if the table has no row for the model. */
export const liteLlmPrice = (
  table: Readonly<Record<string, Row>>,
  name: string,
): ModelPrice | undefined => {
  if (name === 'sample_spec' || !Object.hasOwn(table, name)) return undefined;
  const row = table[name]!;
  const { alias_of: alias } = row;
  return priceOf(typeof alias === 'string' && Object.hasOwn(table, alias) ? table[alias]! : row);
};
