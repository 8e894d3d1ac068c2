import type { Result, SliceRun } from './result.ts';

/** Returns the noun for slices: "worker" if the slices share one clock, otherwise "slice". */
export const sliceNoun = (slices: Result['slices']): 'worker' | 'slice' => {
  const [first] = slices;
  const isOneClock =
    first?.clock !== undefined && slices.every(({ clock }) => clock === first.clock);
  return isOneClock ? 'worker' : 'slice';
};

/** Returns the name of a slice, such as `worker 1/4`. */
export const sliceName = (
  { slices }: Pick<Result, 'slices'>,
  { index, count }: Pick<SliceRun, 'index' | 'count'>,
): string => `${sliceNoun(slices)} ${index}/${count}`;
