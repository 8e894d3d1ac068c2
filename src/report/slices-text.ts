import type { Result } from '../model/result.ts';
import { sharersOf } from '../model/slice-name.ts';
import { plural } from './number-text.ts';

/** Who sent a run that was shared: workers, which have one clock, or slices; nothing for one alone. */
export const slicesText = ({ slices }: Pick<Result, 'slices'>): readonly string[] => {
  if (slices.length === 1) return [];
  return [plural(slices.length, sharersOf(slices))];
};
