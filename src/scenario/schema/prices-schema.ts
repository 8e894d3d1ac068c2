import { z } from 'zod';
import {
  mapping,
  moneyField,
  optionalField,
  positiveDurationField,
  textField,
  wholeNumberField,
} from './fields.ts';

/**
 * This file declares the prices of a scenario and of a price file. Amounts become whole millionths of the currency. An
 * amount is the price of a million tokens, characters or seconds, or of one request.
 */

const picos = 1e12;

/**
 * Returns a field for the price of one character or one second. The value is the price of a million characters or
 * seconds, in millionths of the currency.
 */
const unitPriceField = () => {
  const error = 'expected an amount from 0 to 1,000 with at most 12 decimals, such as 0.000015';
  return z
    .number(error)
    .min(0, error)
    .max(1000, error)
    .transform((amount, context): number => {
      const scaled = Math.round(amount * picos);
      if (Math.abs(scaled - amount * picos) < 1e-3) return scaled;
      context.issues.push({ code: 'custom', message: error, input: amount });
      return z.NEVER;
    });
};

const tokenPrice = (meaning: string) =>
  optionalField(moneyField()).describe(`The price of a million ${meaning}.`);

/** Every field that a price of any kind can have. `price-table.ts` checks which of them belong together. */
const modelPriceSchema = mapping('a price such as {input: 0.15, output: 0.60}', {
  input: tokenPrice('input tokens'),
  cachedInput: tokenPrice('input tokens from a cache; by default that of input'),
  cacheWrite: tokenPrice('input tokens written to a cache; by default that of input'),
  audioInput: tokenPrice('input tokens of audio; by default that of input'),
  output: tokenPrice('output tokens'),
  reasoning: tokenPrice('reasoning tokens; by default that of output'),
  audioOutput: tokenPrice('output tokens of audio; by default that of output'),
  request: optionalField(moneyField()).describe('The price of an answer, beside its tokens.'),
  maxInput: optionalField(wholeNumberField(1, 1_000_000_000)).describe(
    'The longest prompt in tokens with these prices; what longer ones cost is unknown.',
  ),
  perCharacter: optionalField(unitPriceField()).describe('The price of a character of speech.'),
  perSecond: optionalField(unitPriceField()).describe('The price of a second of audio.'),
  roundUpTo: optionalField(positiveDurationField()).describe(
    'The step to which the length of a clip is rounded up, such as 1s.',
  ),
});
export type ModelPrice = z.output<typeof modelPriceSchema>;

/** The fields in `prices` that are not names of models or kinds. */
export const pricingKeys = ['file', 'date', 'currency'] as const;

const pricingFields = {
  file: optionalField(textField()).describe(
    'A file of prices: these fields, or LiteLLM’s model_prices_and_context_window.json.',
  ),
  date: optionalField(textField()).describe('The day of the prices, such as 2026-11-01.'),
  currency: optionalField(textField()).describe('The name of the currency in reports.'),
};

const expected =
  'expected a mapping of models to prices such as {NAME: {input: 0.15, output: 0.60}}';

const pricesObject = z.object(pricingFields, expected).catchall(modelPriceSchema);
export type Prices = z.output<typeof pricesObject>;

/** The form of prices in a module. The type that zod infers would require `currency` to be a price. */
export interface WrittenPrices {
  readonly file?: string | undefined;
  readonly date?: string | undefined;
  readonly currency?: string | undefined;
  readonly [modelOrKind: string]: z.input<typeof modelPriceSchema> | string | undefined;
}

/**
 * The schema of prices. A key is the name of a model, or the kind `speech` or `transcription` for all models of the
 * kind.
 */
export const pricesSchema: z.ZodType<Prices, WrittenPrices> = pricesObject;
