import { chatCost } from '../contract/prices.ts';
import type { Tokens } from '../model/observation.ts';
import type { Price } from '../model/traffic.ts';

/** What an answer's tokens cost, in micro-units; `null` without a price, and unless the server counted both input and output. */
export const costOfTokens = (
  { input, output, source }: Tokens,
  price: Price | null,
): number | null =>
  price === null || input === null || source !== 'usage'
    ? null
    : chatCost({ input, output }, price);
