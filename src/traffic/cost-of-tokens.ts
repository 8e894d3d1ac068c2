import { sampleUpperBound } from '../model/measures/measure.ts';
import type { TokenCounts } from '../model/observation/outcome.ts';
import {
  chatCostOf,
  isTooLong,
  type Price,
  type SpeechPrice,
  speechCostOf,
  type TranscriptionPrice,
  transcriptionCostOf,
} from '../model/workload/price.ts';
import * as service from '../contract/prices.ts';

/**
 * Returns the cost of an answer's tokens in millionths of the currency. Returns `null` if no price is known for a
 * prompt of this length, if the server did not count input and output tokens, or if the cost is too large for a
 * histogram.
 */
export const tokenCost = (tokens: TokenCounts, price: Price | null): number | null => {
  if (price === null || tokens.input === null || tokens.source !== 'usage') return null;
  if (isTooLong(tokens.input, price)) return null;
  const cost = chatCostOf(tokens as TokenCounts & { readonly input: number }, price);
  return cost < sampleUpperBound ? cost : null;
};

/**
 * Returns the cost of speech in millionths of the currency; `null` if the price or the needed length is unknown. If the
 * scenario gives no price, the price in the interface applies.
 */
export const costOfSpeech = (
  price: SpeechPrice | null | undefined,
  { characters, seconds }: { readonly characters: number; readonly seconds: number | null },
): number | null => {
  if (price === undefined) return service.speechCost(characters);
  if (price === null) return null;
  if ('perCharacter' in price) return speechCostOf(price, { characters, seconds: 0 });
  return seconds === null ? null : speechCostOf(price, { characters, seconds });
};

/**
 * Returns the cost of a transcribed clip in millionths of the currency; `null` if the price or the clip's length is
 * unknown. If the scenario gives no price, the price in the interface applies.
 */
export const costOfTranscript = (
  price: TranscriptionPrice | null | undefined,
  seconds: number | null,
): number | null => {
  if (seconds === null || price === null) return null;
  return price === undefined
    ? service.transcriptionCost(seconds)
    : transcriptionCostOf(price, seconds);
};

/**
 * The maximum plausible number of tokens. A higher number is an error of the server, and would make every sum with this
 * number wrong.
 */
export const maxPlausibleTokens = 1_000_000_000;
