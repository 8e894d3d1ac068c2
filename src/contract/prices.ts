/**
 * This file contains the prices of the service (interface, sections 1.5 and 8). Prices are whole millionths of the
 * currency, so sums are exact. The cost of each request is rounded separately to a whole millionth, and a half is
 * rounded up.
 */

/** The price per input character of speech: 0.000015 of the currency. */
const speechPerCharacter = 15;
/** The price per second of transcribed audio: 0.0001 of the currency. */
const transcriptionPerSecond = 100;
const million = 1_000_000n;

/**
 * Returns the cost of a chat in millionths of the currency. `price` is the price of a million tokens, so the sum of
 * tokens times price is divided by a million and rounded. The sum is exact for any number of tokens.
 */
export const chatCost = (
  tokens: { readonly input: number; readonly output: number },
  price: { readonly input: number; readonly output: number },
): number => {
  const total =
    BigInt(tokens.input) * BigInt(price.input) + BigInt(tokens.output) * BigInt(price.output);
  return Number((total + million / 2n) / million);
};

/** Returns the cost of speech. `characters` is the number of Unicode code points. */
export const speechCost = (characters: number): number => characters * speechPerCharacter;

export const transcriptionCost = (seconds: number): number =>
  Math.round(seconds * transcriptionPerSecond);
