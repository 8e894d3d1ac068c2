import { dirname, join } from 'node:path';
import { trendsOf } from './judge/trends.ts';
import { drawFrom } from '../../model/workload/draw.ts';
import type { StoredRun } from '../../model/series/history.ts';
import { writeText } from '../../platform/files/plain-files.ts';
import { readHistory } from '../../platform/files/history-db.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import { Problem } from '../../platform/problem.ts';
import { readReportAssets } from '../../platform/files/report-assets.ts';
import { whyUnwritable } from '../../platform/files/file-error-reasons.ts';
import { htmlPage } from '../../report/document/html-page.ts';
import { terminalText } from '../../report/document/terminal-writer.ts';
import { historyDocument } from './report/history-document.ts';
import type { Host } from '../../run/input/host.ts';
import { requireHistoryPath } from '../../run/input/report-paths.ts';

interface HistoryRequest {
  /** A plan's name, or the start of its hash. */
  readonly plan: string | undefined;
  /** Writes a page, to `out` or beside the history. */
  readonly page: boolean;
  readonly out: string | undefined;
}

/** A fixed seed: the same history gives the same warnings. */
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
    `--plan: expected a plan of the history, ${names.join(', ') || 'which is empty'}, or the start of its hash; got ${planReference}`,
  );
};

/** Prints the runs of the history and the trends of their figures, and writes them as a page. */
export const listHistory = async (
  { plan, page, out }: HistoryRequest,
  { environment, printer }: Host,
): Promise<void> => {
  const path = requireHistoryPath(environment);
  const runs = runsOfPlan(await readHistory(path), plan);
  const trends = trendsOf(runs, (figure) => drawFrom(seed, figure));
  const weir = weirVersion();
  if (page) {
    const { pageStyle } = await readReportAssets();
    const file = out ?? join(dirname(path), 'history.html');
    const text = htmlPage(historyDocument(weir, trends), pageStyle);
    await writeText(file, text).catch((error: unknown) => {
      throw new Problem(`the page ${file} cannot be written: ${whyUnwritable(error)}`);
    });
    printer.say(`Page: ${file}`);
  }
  printer.print({
    json: JSON.stringify({ format: 'history/1', weir, trends }),
    text: (style) => (page ? '' : terminalText(historyDocument(weir, trends), style)),
  });
};
