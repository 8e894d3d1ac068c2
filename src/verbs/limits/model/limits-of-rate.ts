import type { SustainedFact } from '../../../model/limits/limit-facts.ts';

/** Returns the whole limits that a rate can be of; if there is none between its bounds, these in tenths. */
export const limitsOfRate = ({ least, most }: SustainedFact['rate']): SustainedFact['rate'] => {
  if (most === null) return { least: Math.ceil(least), most };
  const [lowest, highest] = [Math.ceil(least), Math.floor(most)];
  return lowest <= highest
    ? { least: lowest, most: highest }
    : { least: Number(least.toFixed(1)), most: Number(most.toFixed(1)) };
};
