import { dirname } from 'node:path';
import type { Host } from './input/host.ts';
import { readStoredResult } from './input/read-result.ts';
import type { ExtraReportPaths } from './input/run-request.ts';
import type { ExitName } from './output/exit-codes.ts';
import { openExtraReports } from './output/extra-reports.ts';
import { exitForVerdicts } from './output/judge-result.ts';
import { openOutputFolder } from './output/output-folder.ts';
import { publish } from './output/publish.ts';
import { openStoredRequests, type StoredRequests } from './stored-requests.ts';

/** What `weir report` writes besides the report. */
interface StoredReportFiles {
  readonly extraReports: ExtraReportPaths;
  readonly requests: StoredRequests | null;
}

/** Judges a stored result again and writes its reports, by default beside it. */
export const reportStored = async (
  path: string,
  out: string | undefined,
  { extraReports: paths, requests }: StoredReportFiles,
  { printer }: Host,
): Promise<ExitName> => {
  const { file, result } = await readStoredResult(path);
  const files = requests === null ? [] : [await openStoredRequests(requests, result, printer)];
  const extraReports = await openExtraReports(paths, printer.say);
  const folder = await openOutputFolder(
    out ?? dirname(file),
    'run',
    out === undefined ? () => undefined : printer.say,
  );
  try {
    return exitForVerdicts(await publish(result, { folder, extraReports, files }, printer));
  } finally {
    await folder.release();
  }
};
