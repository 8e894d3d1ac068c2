import type { Result } from '../../model/result/result.ts';
import { sliceNoun } from '../../model/result/slice-name.ts';
import { plural } from '../text/number-text.ts';

/** Names the workers (which share one clock) or slices of a run; empty for a single one. */
export const slicesText = ({ slices }: Pick<Result, 'slices'>): readonly string[] => {
  if (slices.length === 1) return [];
  return [plural(slices.length, sliceNoun(slices))];
};
