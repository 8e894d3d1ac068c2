import { dirname, join, resolve } from 'node:path';
import { trendsOf } from './judge/trends.ts';
import { drawFrom } from '../../model/workload/draw.ts';
import type { StoredRun } from '../../model/series/history.ts';
import { writeText } from '../../platform/files/plain-files.ts';
import { readHistory, type HistoryDb, openHistory } from '../../platform/files/history-db.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import { Problem } from '../../platform/problem.ts';
import { readReportAssets } from '../../platform/files/report-assets.ts';
import { whyUnwritable } from '../../platform/files/file-error-reasons.ts';
import { themedPage } from '../../report/document/html-page.ts';
import { terminalText } from '../../report/document/terminal-writer.ts';
import { historyDocument, baselinesDocument } from './report/history-document.ts';
import type { Host } from '../../run/input/host.ts';
import { requireHistoryPath } from '../../run/input/report-paths.ts';
import { historyRun } from '../../judge/series/history-run.ts';
import { didYouMean } from '../../scenario/text/spelling.ts';
import { readSide } from '../../run/input/read-side.ts';

interface HistoryRequest {
  /** The name of a plan, or the beginning of a plan's hash. */
  readonly plan: string | undefined;
  /** Whether to write a page, into `out` or beside the history. */
  readonly page: boolean;
  readonly out: string | undefined;
}

/**
 * The seed of the random orders of the runs. The seed is fixed, so that the same history always shows the same changes.
 */
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

export const listHistory = async (
  { plan, page, out }: HistoryRequest,
  { environment, printer }: Host,
): Promise<void> => {
  const path = requireHistoryPath(environment);
  const runs = runsOfPlan(await readHistory(path), plan);
  const trends = trendsOf(runs, (figure) => drawFrom(seed, figure));
  const weir = weirVersion();
  if (page) {
    const file = out ?? join(dirname(path), 'history.html');
    const text = themedPage(historyDocument(weir, trends), await readReportAssets());
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

/**
 * Returns the ids of the runs that a reference names. A reference is a run's number in the history, or a path. If runs
 * at the path are not in the history, they are added to it.
 */
const runIdsOf = async (
  reference: string,
  history: HistoryDb,
  path: string,
): Promise<readonly number[]> => {
  if (/^\d+$/.test(reference)) {
    const id = Number(reference);
    if (history.runs().some((run) => run.id === id)) return [id];
    throw new Problem(`the history has no run ${reference}: \`weir history\` lists them`);
  }
  const { repetitions } = await readSide([reference], { planHash: null, history: path });
  return repetitions.map((repetition) => {
    const run = historyRun({ ...repetition, file: resolve(repetition.file) });
    if (run !== null) return history.add(run);
    throw new Problem(
      `${repetition.file} cannot be a base: it is invalid or incomplete, or nothing in it succeeded; run it again`,
    );
  });
};

const unknownBaseline = (name: string, history: HistoryDb): Problem => {
  const names = [...new Set(history.runs().flatMap(({ baselines }) => baselines))].toSorted();
  const known =
    names.length === 0
      ? 'there is none yet'
      : `${didYouMean(name, names) ?? ''} There are ${names.join(', ')}`.trim();
  return new Problem(
    `no baseline is called ${name}: ${known}; \`weir history baseline ${name} RUN…\` names runs so`,
  );
};

const withHistory = async (
  { environment }: Host,
  use: (history: HistoryDb, path: string) => void | Promise<void>,
): Promise<void> => {
  const path = requireHistoryPath(environment);
  const history = await openHistory(path);
  try {
    await use(history, path);
  } finally {
    history.close();
  }
};

export const saveBaseline = (
  name: string,
  references: readonly string[],
  host: Host,
): Promise<void> =>
  withHistory(host, async (history, path) => {
    const ids: number[] = [];
    for (const reference of references) ids.push(...(await runIdsOf(reference, history, path)));
    history.setBaseline(name, ids);
    host.printer.say(`${name}: ${ids.length === 1 ? 'run' : 'runs'} ${ids.join(', ')}`);
  });

/** Removes a baseline. Its runs stay in the history. */
export const deleteBaseline = (name: string, host: Host): Promise<void> =>
  withHistory(host, (history) => {
    if (!history.removeBaseline(name)) throw unknownBaseline(name, history);
    host.printer.say(`${name} is no longer a baseline; its runs stay in the history`);
  });

export const listBaselines = (only: string | null, host: Host): Promise<void> =>
  withHistory(host, (history) => {
    const runs = history.runs();
    if (only !== null && !runs.some(({ baselines }) => baselines.includes(only)))
      throw unknownBaseline(only, history);
    host.printer.print({
      text: (style) => terminalText(baselinesDocument(weirVersion(), runs, only), style),
    });
  });
