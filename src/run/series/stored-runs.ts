import { dirname, join } from 'node:path';
import { Problem } from '../../platform/problem.ts';
import { mergeResults } from '../../record/merge-results.ts';
import { folderFor, historyPath } from '../input/report-paths.ts';
import type { Host } from '../input/host.ts';
import { checkDistinct, readSide } from '../input/read-side.ts';
import { readGates } from './read-gates.ts';
import { readStoredResult } from '../input/read-result.ts';
import type { ComparisonCriteria, ExtraReportPaths } from '../input/run-request.ts';
import type { ExitName } from '../output/exit-codes.ts';
import { openExtraReports } from '../output/extra-reports.ts';
import { publishComparison } from '../output/publish-comparison.ts';
import { publishNoise } from '../output/publish-noise.ts';
import { exitForVerdicts } from '../output/judge-result.ts';
import { openOutputFolder } from '../output/output-folder.ts';
import { publish } from '../output/publish.ts';
import { storeInHistory } from '../output/store-in-history.ts';
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

interface MergeRequest {
  /** Result files, or the folders of runs. */
  readonly results: readonly string[];
  readonly out: string;
  readonly extraReports: ExtraReportPaths;
  readonly history: string | null;
}

/** Merges the results of the slices of a run and writes the reports of the whole. */
export const mergeStored = async (
  { results: paths, out, extraReports: wanted, history }: MergeRequest,
  { printer }: Host,
): Promise<ExitName> => {
  const stored = await Promise.all(paths.map(readStoredResult));
  const results = stored.map(({ result }) => result);
  const [first, ...others] = results;
  if (first !== undefined && others.length === 0 && first.slices.length === first.slices[0]?.count)
    throw new Problem(
      `${paths[0]} is a complete run: expected the results of slices, one for each --slice i/n. For the reports of one run, use weir report`,
    );
  const merged = mergeResults(results, paths);
  if (!merged.ok) throw new Problem(merged.message);
  const extraReports = await openExtraReports(wanted, printer.say);
  const folder = await openOutputFolder(out, 'run', printer.say);
  try {
    const judged = await publish(merged.result, { folder, extraReports }, printer);
    await storeInHistory(history, { ...judged, file: join(out, 'result.json') }, printer.warn);
    return exitForVerdicts(judged);
  } finally {
    await folder.release();
  }
};

interface CompareRequest extends ComparisonCriteria {
  /** Result files, folders that contain them, or baselines of the history. */
  readonly base: readonly string[];
  /** The other side; `null` compares the runs of the base with each other. */
  readonly next: readonly string[] | null;
  readonly out: string | undefined;
  readonly jobSummary: string | undefined;
}

/** Compares two sides of stored runs, or measures how much the runs of one side differ by themselves. */
export const compareStored = async (
  request: CompareRequest,
  { environment, printer }: Host,
): Promise<ExitName> => {
  const gates = readGates(request.gate);
  const history = historyPath(environment);
  const publishOptions = { printer, jobSummary: request.jobSummary };
  if (request.next === null) {
    const side = await readSide(request.base, { planHash: null, history });
    checkDistinct(side);
    const open = () => openOutputFolder(folderFor(request.out, 'noise'), 'noise', printer.say);
    return publishNoise({ ...request, gates, side }, open, publishOptions);
  }
  const next = await readSide(request.next, { planHash: null, history });
  const { planHash } = next.repetitions[0].result;
  const base = await readSide(request.base, { planHash, history });
  checkDistinct(base, next);
  const open = () =>
    openOutputFolder(folderFor(request.out, 'comparison'), 'comparison', printer.say);
  return publishComparison({ ...request, gates, base, next, intended: [] }, open, publishOptions);
};
