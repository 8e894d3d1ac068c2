import { Problem } from '../platform/problem.ts';
import { mergeResults } from '../record/merge-results.ts';
import type { ExitName } from './exit-codes.ts';
import { openNamedFolder, publish, type Telling, verdictExit } from './publish.ts';
import { readResult } from './read-result.ts';

/** Makes one result of the slices of a run, and its reports. */
export const merge = async (
  paths: readonly string[],
  out: string,
  telling: Telling,
): Promise<ExitName> => {
  const results = await Promise.all(paths.map(readResult));
  const merged = mergeResults(results, paths);
  if (!merged.ok) throw new Problem(merged.message);
  const trust = await publish(merged.result, await openNamedFolder(out, telling), telling);
  return verdictExit(merged.result, trust);
};
