/**
 * What the service charges (interface 1.5 and 8), in whole millionths of the currency, so that sums are exact. Each
 * request is rounded on its own, half up.
 */

/** 0.000015 of the currency per input character of speech. */
const speechPerCharacter = 15;
/** 0.0001 of the currency per second of transcribed audio. */
const transcriptionPerSecond = 100;
const million = 1_000_000n;

/** Returns tokens × price per million tokens; exact for any counts. */
export const chatCost = (
  tokens: { readonly input: number; readonly output: number },
  price: { readonly input: number; readonly output: number },
): number => {
  const total =
    BigInt(tokens.input) * BigInt(price.input) + BigInt(tokens.output) * BigInt(price.output);
  return Number((total + million / 2n) / million);
};

/** Characters are Unicode code points. */
export const speechCost = (characters: number): number => characters * speechPerCharacter;

export const transcriptionCost = (seconds: number): number =>
  Math.round(seconds * transcriptionPerSecond);
