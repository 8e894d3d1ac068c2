import type { Result, SliceRun } from '../model/result/result.ts';
import { lagOver, measuredSeconds } from '../model/result/summary.ts';

/** The slices of several results, in order, each with its own lag: in the sum, one late slice would look half as late beside one on time. */
export const mergeSlices = (results: readonly Result[]): SliceRun[] =>
  results
    .flatMap((result) => {
      const [slice, ...others] = result.slices;
      if (slice === undefined || others.length > 0) return result.slices;
      const lag = lagOver(measuredSeconds(result, result.timeline)).toJSON();
      return [{ ...slice, lag }];
    })
    .toSorted((a, b) => a.index - b.index);
