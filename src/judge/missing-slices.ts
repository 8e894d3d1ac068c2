import type { Result } from '../model/result.ts';

/** The slices that a result lacks, in order: with any of them missing, the run is incomplete. */
export const missingSlices = ({ slices }: Result): readonly number[] => {
  const present = new Set(slices.map(({ index }) => index));
  return Array.from({ length: slices[0]?.count ?? 0 }, (_, index) => index).filter(
    (index) => !present.has(index),
  );
};
