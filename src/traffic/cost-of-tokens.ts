import { chatCost } from '../contract/prices.ts';
import { samplesBelow } from '../model/recordable.ts';
import type { Tokens } from '../model/observation.ts';
import type { Price } from '../model/traffic.ts';

/** What an answer's tokens cost, in micro-units; `null` without a price, unless the server counted both input and output, and beyond what a histogram holds. */
export const costOfTokens = (
  { input, output, source }: Tokens,
  price: Price | null,
): number | null => {
  if (price === null || input === null || source !== 'usage') return null;
  const cost = chatCost({ input, output }, price);
  return cost < samplesBelow ? cost : null;
};
