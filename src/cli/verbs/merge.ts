import type { OutputOptions } from '../../run/input/run-request.ts';
import { join } from 'node:path';
import { Problem } from '../../platform/problem.ts';
import { mergeResults } from '../../record/merge-results.ts';
import type { ExitName } from '../../run/output/exit-codes.ts';
import { openExtraReports } from '../../run/output/extra-reports.ts';
import { storeInHistory } from '../../run/output/store-in-history.ts';
import { openRequestedFolder, publish, exitForVerdicts } from '../../run/output/publish.ts';
import { readResult } from '../../run/input/read-result.ts';

/** Makes one result of the slices of a run, and its reports. */
export const merge = async (
  paths: readonly string[],
  out: string,
  output: OutputOptions & { readonly history: string | null },
): Promise<ExitName> => {
  const results = await Promise.all(paths.map(readResult));
  const merged = mergeResults(results, paths);
  if (!merged.ok) throw new Problem(merged.message);
  const extraReports = await openExtraReports(output.extraReports, process.env);
  const folder = await openRequestedFolder(out, output);
  const judged = await publish(merged.result, { folder, extraReports }, output);
  await storeInHistory(output.history, { ...judged, file: join(out, 'result.json') });
  return exitForVerdicts(judged);
};
