import { dirname } from 'node:path';
import type { Host, Printer } from './input/host.ts';
import { readStoredResult } from './input/read-result.ts';
import type { ExtraReportPaths } from './input/run-request.ts';
import type { ExitName } from './output/exit-codes.ts';
import { openExtraReports } from './output/extra-reports.ts';
import { exitForVerdicts } from './output/judge-result.ts';
import { openOutputFolder, usingFolder } from './output/output-folder.ts';
import { publish } from './output/publish.ts';
import { countArrivals, sumOutcomes } from '../model/measures/outcome-counts.ts';
import type { Observation, ObservationsHeader } from '../model/observation/observation.ts';
import type { Result } from '../model/result/result.ts';
import { hasContent } from '../platform/files/plain-files.ts';
import type { TableFile } from '../platform/files/table-file.ts';
import { monotonicNow } from '../platform/host/clock.ts';
import { countText } from '../report/text/number-text.ts';
import { openRequestsTable, requestLines, tableFormatOf } from './input/requests-table.ts';
import { addRows, headerOf } from './input/stored-observations.ts';
import { type OnStep, type Output, sayLateSteps } from './output/write-outputs.ts';

/** The number of table rows between two calls of `onStep`, which may print the progress. */
const rowsPerStep = 1000;

type StoredPrinter = Pick<Printer, 'say' | 'warn'> & { readonly onStep: OnStep };

interface StoredRequests {
  readonly requests: string;
  /** The files of observations: one for the whole run, or one for each slice. */
  readonly observations: readonly string[];
}

const fillTable = async (
  table: TableFile,
  { requests, observations }: StoredRequests,
  { result, headers }: { readonly result: Result; readonly headers: readonly ObservationsHeader[] },
  { warn, onStep }: Pick<StoredPrinter, 'warn' | 'onStep'>,
): Promise<void> => {
  const format = tableFormatOf(requests);
  let rows = 0;
  for (const [index, path] of observations.entries()) {
    const zero = Date.parse(headers[index]!.startedAt);
    const lineOf = requestLines(format, { plan: result.plan, zero });
    const add = (observation: Observation): void => {
      table.add(lineOf(observation));
      rows += 1;
      if (rows % rowsPerStep === 0) onStep(`${countText(rows)} requests in ${requests}`, 'goes on');
    };
    const onTorn = (): void =>
      warn(`The last line of ${path} is not whole, and is left out: the run was killed.`);
    await addRows(path, add, onTorn).catch(async (error: unknown) => {
      await table.discard();
      throw error;
    });
  }
  await table.complete();
  const arrivals = countArrivals(sumOutcomes(result.groups));
  if (rows !== arrivals)
    warn(
      `${requests} has ${countText(rows)} requests, and the result ${countText(arrivals)}: ${rows < arrivals ? 'the observations of others are missing' : 'the run was killed after its last checkpoint'}.`,
    );
};

/**
 * Opens a table for a stored run. Throws a `Problem` if an observations file belongs to another run, or if the table
 * cannot be written.
 */
const openStoredRequests = async (
  stored: StoredRequests,
  result: Result,
  { say, warn, onStep }: StoredPrinter,
): Promise<Output> => {
  const { requests: path, observations } = stored;
  const headers: ObservationsHeader[] = [];
  for (const file of observations) headers.push(await headerOf(file, result));
  if (await hasContent(path)) say(`${path} is overwritten.`);
  const table = await openRequestsTable(path);
  return {
    title: 'Requests',
    path,
    write: () => fillTable(table, stored, { result, headers }, { warn, onStep }),
  };
};

interface StoredReportOptions {
  /** Whether an objective that is not sure leads to exit code 13. */
  readonly isStrict?: boolean;
  readonly extraReports: ExtraReportPaths;
  readonly requests: StoredRequests | null;
}

/**
 * Judges a stored result again and writes its reports, by default next to the result. Prints progress after the first
 * second. `now` returns the time in ms.
 */
export const reportStored = async (
  path: string,
  out: string | undefined,
  { extraReports: paths, requests, isStrict = false }: StoredReportOptions,
  { printer }: Host,
  now = monotonicNow,
): Promise<ExitName> => {
  const onStep = sayLateSteps(printer.say, now);
  const { file, result } = await readStoredResult(path, onStep);
  onStep('judging the result');
  const files =
    requests === null ? [] : [await openStoredRequests(requests, result, { ...printer, onStep })];
  const extraReports = await openExtraReports(paths, printer.say);
  const folder = await openOutputFolder(
    out ?? dirname(file),
    'run',
    out === undefined ? () => undefined : printer.say,
  );
  return usingFolder(folder, async () => {
    const destinations = { folder, extraReports, files };
    return exitForVerdicts(await publish(result, destinations, printer, { isStrict, onStep }));
  });
};
