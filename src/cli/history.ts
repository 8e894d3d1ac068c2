import { dirname, join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import { trendsOf } from '../judge/history/trends.ts';
import { drawFrom } from '../model/draw.ts';
import type { StoredRun } from '../model/history.ts';
import { readHistory } from '../platform/history-db.ts';
import { weirVersion } from '../platform/machine.ts';
import { Problem } from '../platform/problem.ts';
import { readReportAssets } from '../platform/report-assets.ts';
import { whyUnwritable } from '../platform/unreadable.ts';
import { historyHtml } from '../report/history/history-html.ts';
import { historyTerminal } from '../report/history/history-terminal.ts';
import { keptHistory } from './baseline.ts';
import type { ExitName } from './exit-codes.ts';
import { stdoutLook, toStderr, toStdout } from './streams.ts';

/** What `weir history` was asked. */
export interface HistoryOrder {
  /** A plan's name, or the beginning of its hash. */
  readonly plan: string | undefined;
  readonly page: boolean;
  readonly out: string | undefined;
  readonly json: boolean;
}

/** The same history has the same warnings. */
const seed = 20_141_114;

const ofPlan = (runs: readonly StoredRun[], wanted: string | undefined): readonly StoredRun[] => {
  if (wanted === undefined) return runs;
  const found = runs.filter(
    ({ plan, planHash }) => plan === wanted || (wanted.length >= 4 && planHash.startsWith(wanted)),
  );
  if (found.length > 0) return found;
  const names = [...new Set(runs.map(({ plan }) => plan))];
  throw new Problem(
    `--plan: expected a plan of the history, ${names.join(', ') || 'which has none yet'}, or the beginning of its hash; got ${wanted}`,
  );
};

const writePage = async (path: string, text: string): Promise<void> => {
  await writeFile(path, text).catch((error: unknown) => {
    throw new Problem(`the page ${path} cannot be written: ${whyUnwritable(error)}`);
  });
  toStderr(`Page: ${path}`);
};

/** Lists the runs of the history with how their figures went, or writes them as a page. */
export const history = async ({ plan, page, out, json }: HistoryOrder): Promise<ExitName> => {
  const place = keptHistory();
  const runs = ofPlan(await readHistory(place), plan);
  const trends = trendsOf(runs, (figure) => drawFrom(seed, figure));
  const weir = weirVersion();
  if (page) {
    const { pageStyle } = await readReportAssets();
    const file = out ?? join(dirname(place), 'history.html');
    await writePage(file, historyHtml({ weir, trends }, pageStyle));
  }
  if (json) toStdout(JSON.stringify({ format: 'history/1', weir, trends }));
  else if (!page) toStdout(historyTerminal(trends, stdoutLook()));
  return 'pass';
};
