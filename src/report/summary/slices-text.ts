import type { Result } from '../../model/result/result.ts';
import { sliceNoun } from '../../model/result/slice-name.ts';
import { plural } from '../text/number-text.ts';

/** Who sent a run that was shared: workers, which have one clock, or slices; nothing for one alone. */
export const slicesText = ({ slices }: Pick<Result, 'slices'>): readonly string[] => {
  if (slices.length === 1) return [];
  return [plural(slices.length, sliceNoun(slices))];
};
