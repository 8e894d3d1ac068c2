import { join } from 'node:path';
import { Problem } from '../platform/problem.ts';
import { mergeResults } from '../record/merge-results.ts';
import type { ExitName } from './exit-codes.ts';
import { openFurtherReports } from './further-reports.ts';
import { keepInHistory } from './keep-history.ts';
import { openNamedFolder, publish, verdictExit } from './publish.ts';
import { readResult } from './read-result.ts';
import type { Telling } from './report-options.ts';

/** Makes one result of the slices of a run, and its reports. */
export const merge = async (
  paths: readonly string[],
  out: string,
  telling: Telling & { readonly history: string | null },
): Promise<ExitName> => {
  const results = await Promise.all(paths.map(readResult));
  const merged = mergeResults(results, paths);
  if (!merged.ok) throw new Problem(merged.message);
  const further = await openFurtherReports(telling.further, process.env);
  const folder = await openNamedFolder(out, telling);
  const judged = await publish(merged.result, { folder, further }, telling);
  await keepInHistory(telling.history, { ...judged, file: join(out, 'result.json') });
  return verdictExit(judged);
};
