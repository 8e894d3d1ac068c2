import { dirname } from 'node:path';
import { openRunFolder } from '../platform/files.ts';
import type { ExitName } from './exit-codes.ts';
import { openFurtherReports } from './further-reports.ts';
import { openNamedFolder, publish, verdictExit } from './publish.ts';
import { readReported } from './read-checkpoint.ts';
import type { Telling } from './report-options.ts';

/** Judges a stored result anew and writes its reports again, by default beside it. */
export const report = async (
  path: string,
  out: string | undefined,
  telling: Telling,
): Promise<ExitName> => {
  const { file, result } = await readReported(path);
  const further = await openFurtherReports(telling.further, process.env);
  const folder = await (out === undefined
    ? openRunFolder(dirname(file))
    : openNamedFolder(out, telling));
  const judged = await publish(result, { folder, further }, telling);
  return verdictExit(judged);
};
