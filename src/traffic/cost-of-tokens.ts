import { sampleUpperBound } from '../model/measures/measure.ts';
import type { TokenCounts } from '../model/observation/outcome.ts';
import { chatCost } from '../contract/prices.ts';
import type { Price } from '../model/workload/traffic.ts';

/**
 * Returns the cost of an answer's tokens in millionths of the currency. It is `null` if there is no price, if the
 * server did not count input and output tokens, or if the cost is too large for a histogram.
 */
export const tokenCost = (
  { input, output, source }: TokenCounts,
  price: Price | null,
): number | null => {
  if (price === null || input === null || source !== 'usage') return null;
  const cost = chatCost({ input, output }, price);
  return cost < sampleUpperBound ? cost : null;
};

/** The maximum plausible number of tokens. A higher number is an error of the server and would make every sum wrong. */
export const maxPlausibleTokens = 1_000_000_000;
