import { sampleUpperBound } from '../model/measures/measure.ts';
import type { TokenCounts } from '../model/observation/outcome.ts';
import { chatCost } from '../contract/prices.ts';
import type { Price } from '../model/workload/traffic.ts';

/** The cost of an answer's tokens in micro-units; `null` without a price, without the server's count of input and output, and above a histogram's range. */
export const tokenCost = (
  { input, output, source }: TokenCounts,
  price: Price | null,
): number | null => {
  if (price === null || input === null || source !== 'usage') return null;
  const cost = chatCost({ input, output }, price);
  return cost < sampleUpperBound ? cost : null;
};
