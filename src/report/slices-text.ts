import type { Result } from '../model/result.ts';
import { plural } from './number-text.ts';

/** Who sent a run that was shared: workers, which have one clock, or slices; nothing for one alone. */
export const slicesText = ({ slices }: Pick<Result, 'slices'>): readonly string[] => {
  if (slices.length === 1) return [];
  const [first] = slices;
  const oneClock = first?.clock !== undefined && slices.every(({ clock }) => clock === first.clock);
  return [plural(slices.length, oneClock ? 'worker' : 'slice')];
};
