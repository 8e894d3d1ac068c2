import { dirname, join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import { trendsOf } from '../../judge/history/trends.ts';
import { drawFrom } from '../../model/workload/draw.ts';
import type { StoredRun } from '../../model/series/history.ts';
import { readHistory } from '../../platform/files/history-db.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import { Problem } from '../../platform/problem.ts';
import { readReportAssets } from '../../platform/files/report-assets.ts';
import { whyUnwritable } from '../../platform/files/file-error-reasons.ts';
import { historyHtml } from '../../report/history/history-html.ts';
import { historyTerminal } from '../../report/history/history-terminal.ts';
import { requireHistoryPath } from './baseline.ts';
import type { ExitName } from '../../run/output/exit-codes.ts';
import { stdoutStyle, toStderr, toStdout } from '../../platform/standard-streams.ts';

/** What `weir history` was asked. */
export interface HistoryRequest {
  /** A plan's name, or the beginning of its hash. */
  readonly plan: string | undefined;
  readonly page: boolean;
  readonly out: string | undefined;
  readonly json: boolean;
}

/** The same history has the same warnings. */
const seed = 20_141_114;

const runsOfPlan = (
  runs: readonly StoredRun[],
  planReference: string | undefined,
): readonly StoredRun[] => {
  if (planReference === undefined) return runs;
  const found = runs.filter(
    ({ plan, planHash }) =>
      plan === planReference || (planReference.length >= 4 && planHash.startsWith(planReference)),
  );
  if (found.length > 0) return found;
  const names = [...new Set(runs.map(({ plan }) => plan))];
  throw new Problem(
    `--plan: expected a plan of the history, ${names.join(', ') || 'which has none yet'}, or the beginning of its hash; got ${planReference}`,
  );
};

const writePage = async (path: string, text: string): Promise<void> => {
  await writeFile(path, text).catch((error: unknown) => {
    throw new Problem(`the page ${path} cannot be written: ${whyUnwritable(error)}`);
  });
  toStderr(`Page: ${path}`);
};

/** Lists the runs of the history with how their figures went, or writes them as a page. */
export const history = async ({ plan, page, out, json }: HistoryRequest): Promise<ExitName> => {
  const path = requireHistoryPath();
  const runs = runsOfPlan(await readHistory(path), plan);
  const trends = trendsOf(runs, (figure) => drawFrom(seed, figure));
  const weir = weirVersion();
  if (page) {
    const { pageStyle } = await readReportAssets();
    const file = out ?? join(dirname(path), 'history.html');
    await writePage(file, historyHtml({ weir, trends }, pageStyle));
  }
  if (json) toStdout(JSON.stringify({ format: 'history/1', weir, trends }));
  else if (!page) toStdout(historyTerminal(trends, stdoutStyle()));
  return 'pass';
};
