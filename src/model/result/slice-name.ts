import type { Result, SliceRun } from './result.ts';

/** What those who share a run are called: workers are of one process and count by one clock, slices by one each. */
export const sliceNoun = (slices: Result['slices']): 'worker' | 'slice' => {
  const [first] = slices;
  const isOneClock =
    first?.clock !== undefined && slices.every(({ clock }) => clock === first.clock);
  return isOneClock ? 'worker' : 'slice';
};

/** One of those who share a run, such as `worker 1/4`. */
export const sliceName = (
  { slices }: Pick<Result, 'slices'>,
  { index, count }: Pick<SliceRun, 'index' | 'count'>,
): string => `${sliceNoun(slices)} ${index}/${count}`;
