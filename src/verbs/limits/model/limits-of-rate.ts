import type { SustainedFact } from '../../../model/limits/limit-facts.ts';

/**
 * Returns the lowest and the highest whole limit between the bounds of a rate. If no whole number lies between the
 * bounds, returns the bounds in tenths.
 */
export const limitsOfRate = ({ least, most }: SustainedFact['rate']): SustainedFact['rate'] => {
  if (most === null) return { least: Math.ceil(least), most };
  const [lowest, highest] = [Math.ceil(least), Math.floor(most)];
  return lowest <= highest
    ? { least: lowest, most: highest }
    : { least: Number(least.toFixed(1)), most: Number(most.toFixed(1)) };
};
