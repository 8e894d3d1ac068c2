import { z } from 'zod';

/** The classes of tokens that have their own price. Each token of an answer belongs to exactly one class. */
export const tokenClasses = [
  'input',
  'cachedInput',
  'cacheWrite',
  'audioInput',
  'output',
  'reasoning',
  'audioOutput',
] as const;
export type TokenClass = (typeof tokenClasses)[number];

/** For each class of tokens, the class whose price applies if the scenario gives no price for the class itself. */
export const usualClass: Readonly<Record<TokenClass, 'input' | 'output'>> = {
  input: 'input',
  cachedInput: 'input',
  cacheWrite: 'input',
  audioInput: 'input',
  output: 'output',
  reasoning: 'output',
  audioOutput: 'output',
};

const micros = z.int().nonnegative();

/**
 * What a chat costs. Prices of tokens are in millionths of the currency per million tokens; `request` is in millionths
 * per answer. A class of tokens without its own price costs as much as `input` or `output` (`usualClass`).
 */
export const priceSchema = z.strictObject({
  input: micros,
  output: micros,
  cachedInput: micros.exactOptional(),
  cacheWrite: micros.exactOptional(),
  reasoning: micros.exactOptional(),
  audioInput: micros.exactOptional(),
  audioOutput: micros.exactOptional(),
  request: micros.exactOptional(),
  /** These prices hold for prompts of at most this many tokens. */
  maxInput: micros.exactOptional(),
});
export type Price = z.infer<typeof priceSchema>;

/** What a million spoken characters or a million seconds of audio cost, in millionths of the currency. */
export const speechPriceSchema = z.union([
  z.strictObject({ perCharacter: micros }),
  z.strictObject({ perSecond: micros }),
]);
export type SpeechPrice = z.infer<typeof speechPriceSchema>;

/**
 * What a million seconds of audio cost, in millionths of the currency. The billed length is rounded up to a multiple of
 * `roundUpTo` (ms).
 */
export const transcriptionPriceSchema = z.strictObject({
  perSecond: micros,
  roundUpTo: z.number().positive().exactOptional(),
});
export type TranscriptionPrice = z.infer<typeof transcriptionPriceSchema>;

/** The currency, date and file of the prices of a plan. */
export const pricingSchema = z.strictObject({
  currency: z.string().min(1).exactOptional(),
  /** The date of the prices, as the user wrote it. */
  date: z.string().min(1).exactOptional(),
  /** The file of the prices, as written in the scenario. */
  file: z.string().min(1).exactOptional(),
});
export type Pricing = z.infer<typeof pricingSchema>;

/**
 * The token counts that decide an answer's cost. `input` counts all tokens of the prompt, and `output` all tokens of
 * the answer. The other counts are parts of these two.
 */
interface BilledTokens {
  readonly input: number;
  readonly output: number;
  readonly cached?: number;
  readonly cacheWrite?: number;
  readonly audioInput?: number;
  readonly reasoning?: number;
  readonly audioOutput?: number;
}

/**
 * Splits the tokens of an answer into classes. If the sum of the classes exceeds the whole, the last classes are cut,
 * so no token counts twice.
 */
export const tokensByClass = (tokens: BilledTokens): Record<TokenClass, number> => {
  const { input, output, cached = 0, cacheWrite = 0, audioInput = 0 } = tokens;
  const { reasoning = 0, audioOutput = 0 } = tokens;
  const read = Math.min(cached, input);
  const written = Math.min(cacheWrite, input - read);
  const heard = Math.min(audioInput, input - read - written);
  const thought = Math.min(reasoning, output);
  const spoken = Math.min(audioOutput, output - thought);
  return {
    input: input - read - written - heard,
    cachedInput: read,
    cacheWrite: written,
    audioInput: heard,
    output: output - thought - spoken,
    reasoning: thought,
    audioOutput: spoken,
  };
};

export const classPrice = (price: Price, name: TokenClass): number =>
  price[name] ?? price[usualClass[name]];

const million = 1_000_000;
/** Below this sum, a division by a million with its rounding is exact in floating point. */
const exactlyDivided = 1e15;

/** Divides a sum of products by a million, rounded half up. The result is exact for any size. */
const roundedSum = (factors: readonly (readonly [count: number, price: number])[]): number => {
  let sum = 0;
  for (const [count, price] of factors) sum += count * price;
  if (sum < exactlyDivided) return Math.floor((sum + million / 2) / million);
  const exact = factors.reduce(
    (whole, [count, price]) => whole + BigInt(count) * BigInt(price),
    0n,
  );
  return Number((exact + BigInt(million / 2)) / BigInt(million));
};

/** Returns whether a prompt is too long for a price. The cost of such a prompt is unknown. */
export const isTooLong = (input: number, { maxInput }: Price): boolean =>
  maxInput !== undefined && input > maxInput;

/** Returns the cost of an answer's tokens in millionths of the currency, rounded half up. */
export const chatCostOf = (tokens: BilledTokens, price: Price): number => {
  const request = price.request ?? 0;
  const { cached, cacheWrite, audioInput, reasoning, audioOutput } = tokens;
  const isPlain =
    cached === undefined &&
    cacheWrite === undefined &&
    audioInput === undefined &&
    reasoning === undefined &&
    audioOutput === undefined;
  if (isPlain) {
    const sum = tokens.input * price.input + tokens.output * price.output;
    if (sum < exactlyDivided) return request + Math.floor((sum + million / 2) / million);
  }
  const counts = tokensByClass(tokens);
  return request + roundedSum(tokenClasses.map((name) => [counts[name], classPrice(price, name)]));
};

/** Returns what some input and output tokens cost at most, whatever the classes of these tokens are. */
export const highestChatCost = (
  { input, output }: Pick<BilledTokens, 'input' | 'output'>,
  price: Price,
): number => {
  const highest = (side: 'input' | 'output'): number =>
    Math.max(
      ...tokenClasses
        .filter((name) => usualClass[name] === side)
        .map((name) => classPrice(price, name)),
    );
  return chatCostOf(
    { input, output },
    { ...price, input: highest('input'), output: highest('output') },
  );
};

/**
 * Returns the cost of speech in millionths of the currency. It depends on the characters or on the seconds of audio.
 */
export const speechCostOf = (
  price: SpeechPrice,
  { characters, seconds }: { readonly characters: number; readonly seconds: number },
): number =>
  'perCharacter' in price
    ? roundedSum([[characters, price.perCharacter]])
    : Math.round((seconds * price.perSecond) / million);

/** Returns the cost of a clip in millionths of the currency. */
export const transcriptionCostOf = (
  { perSecond, roundUpTo }: TranscriptionPrice,
  seconds: number,
): number => {
  const step = roundUpTo === undefined ? null : roundUpTo / 1000;
  // A length can be slightly too long in binary, so a tiny excess does not count: exactly 30 s of samples must not be
  // billed as 31 s.
  const billed = step === null ? seconds : Math.ceil(seconds / step - 1e-9) * step;
  return Math.round((billed * perSecond) / million);
};
