import type { OutputOptions } from '../../run/input/run-request.ts';
import { dirname } from 'node:path';
import { openRunFolder } from '../../platform/files/run-folder.ts';
import type { ExitName } from '../../run/output/exit-codes.ts';
import { openExtraReports } from '../../run/output/extra-reports.ts';
import { openRequestedFolder, publish, exitForVerdicts } from '../../run/output/publish.ts';
import { readStoredResult } from '../../run/input/read-stored-result.ts';

/** Judges a stored result anew and writes its reports again, by default beside it. */
export const report = async (
  path: string,
  out: string | undefined,
  output: OutputOptions,
): Promise<ExitName> => {
  const { file, result } = await readStoredResult(path);
  const extraReports = await openExtraReports(output.extraReports, process.env);
  const folder = await (out === undefined
    ? openRunFolder(dirname(file))
    : openRequestedFolder(out, output));
  const judged = await publish(result, { folder, extraReports }, output);
  return exitForVerdicts(judged);
};
