import { judgeTrust } from '../../judge/trust/judge-trust.ts';
import type { Result } from '../../model/result/result.ts';
import { Problem } from '../../platform/problem.ts';
import { mergeResults } from '../../record/merge-results.ts';
import { timeText } from '../../report/text/number-text.ts';
import type { SliceState } from './lead-run.ts';

/** This file makes one result from the results of all slices and from the facts that only the coordinator knows. */

/** Adds to a slice's result the facts that only the coordinator knows. */
const annotated = (result: Result, { record }: SliceState): Result => ({
  ...result,
  slices: result.slices.map((slice) => ({
    ...slice,
    ...(record === null ? {} : { host: record.host }),
    ...(record?.clock ? { clockOffset: record.clock } : {}),
    trust: judgeTrust(result).level,
  })),
});

const lossText = (
  { index, lost }: SliceState,
  count: number,
  startedAt: number | null,
): readonly string[] => {
  if (lost === null) return [];
  const when = startedAt === null ? '' : ` after ${timeText(Math.max(0, lost.at - startedAt))}`;
  return [`slice ${index}/${count} was lost${when} (${lost.why})`];
};

/**
 * Joins the results of all slices into one result. If a slice was lost, the run is incomplete, even if the slice had
 * sent requests. `startedAt` is the start of the load on the clock of `lost.at`. Returns `null` if no slice has a
 * result.
 */
export const joinedResult = (
  results: ReadonlyMap<number, Result>,
  slices: readonly SliceState[],
  startedAt: number | null,
): Result | null => {
  const parts = [...results].map(([index, result]) => annotated(result, slices[index]!));
  if (parts.length === 0) return null;
  const names = [...results.keys()].map((index) => `slice ${index}/${slices.length}`);
  const merged = mergeResults(parts, names);
  if (!merged.ok) throw new Problem(merged.message);
  const losses = slices.flatMap((state) => lossText(state, slices.length, startedAt));
  const reasons = [merged.result.partial, ...losses].filter((reason) => reason !== null);
  return { ...merged.result, partial: reasons.length === 0 ? null : reasons.join('; ') };
};
