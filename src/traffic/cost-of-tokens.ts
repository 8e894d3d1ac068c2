import { sampleUpperBound } from '../model/measures/measure.ts';
import type { TokenCounts } from '../model/observation/outcome.ts';
import { chatCost } from '../contract/prices.ts';
import type { Price } from '../model/workload/traffic.ts';

/**
 * Returns the cost of an answer's tokens in micro-units. It is `null` without a price, without the server's count of
 * input and output, and above a histogram's range.
 */
export const tokenCost = (
  { input, output, source }: TokenCounts,
  price: Price | null,
): number | null => {
  if (price === null || input === null || source !== 'usage') return null;
  const cost = chatCost({ input, output }, price);
  return cost < sampleUpperBound ? cost : null;
};

/** The maximum plausible number of tokens. A higher count is an error of the server, and would spoil every sum. */
export const maxPlausibleTokens = 1_000_000_000;
