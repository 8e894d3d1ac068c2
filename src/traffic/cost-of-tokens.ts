import { sampleUpperBound } from '../model/measures/histogram.ts';
import type { TokenCounts } from '../model/observation/outcome.ts';
import { chatCost } from '../contract/prices.ts';
import type { Price } from '../model/workload/traffic.ts';

/** What an answer's tokens cost, in micro-units; `null` without a price, unless the server counted both input and output, and beyond what a histogram holds. */
export const tokenCost = (
  { input, output, source }: TokenCounts,
  price: Price | null,
): number | null => {
  if (price === null || input === null || source !== 'usage') return null;
  const cost = chatCost({ input, output }, price);
  return cost < sampleUpperBound ? cost : null;
};
