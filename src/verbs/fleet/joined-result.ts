import { judgeTrust } from '../../judge/trust/judge-trust.ts';
import type { Result } from '../../model/result/result.ts';
import { Problem } from '../../platform/problem.ts';
import { mergeResults } from '../../record/merge-results.ts';
import { timeText } from '../../report/text/number-text.ts';
import type { SliceState } from './slice-watch.ts';

/** A slice's result with what only the coordinator knows of it. */
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
 * The results of all slices as one. A run with a lost slice is incomplete, whatever that slice had sent. `startedAt`: when the
 * load began, by the clock of the losses; `null` if no slice has a result.
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
