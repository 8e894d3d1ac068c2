import { join } from 'node:path';
import { monotonicNow } from '../../platform/host/clock.ts';
import { Problem } from '../../platform/problem.ts';
import { mergeResults } from '../../record/merge-results.ts';
import type { Host } from '../../run/input/host.ts';
import { readStoredResult } from '../../run/input/read-result.ts';
import type { RunRequest } from '../../run/input/run-request.ts';
import type { ExitName } from '../../run/output/exit-codes.ts';
import { openExtraReports } from '../../run/output/extra-reports.ts';
import { exitForVerdicts } from '../../run/output/judge-result.ts';
import { openOutputFolder, usingFolder } from '../../run/output/output-folder.ts';
import { publish } from '../../run/output/publish.ts';
import { sayLateSteps } from '../../run/output/write-outputs.ts';
import { storeInHistory } from '../../run/output/store-in-history.ts';

/** Merges the results of a run's slices, which are in files or folders, and writes the reports of the whole run. */
export const mergeStored = async (
  {
    results: paths,
    out,
    extraReports: wanted,
    history,
    strict: isStrict = false,
  }: Pick<RunRequest, 'extraReports' | 'history' | 'strict'> & {
    readonly results: readonly string[];
    readonly out: string;
  },
  { printer }: Host,
): Promise<ExitName> => {
  const onStep = sayLateSteps(printer.say, monotonicNow);
  const stored = await Promise.all(
    paths.map((path) => readStoredResult(path, (step) => onStep(step, 'goes on'))),
  );
  onStep('judging the result');
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
  return usingFolder(folder, async () => {
    const judged = await publish(merged.result, { folder, extraReports }, printer, {
      isStrict,
      onStep,
    });
    await storeInHistory(history, { ...judged, file: join(out, 'result.json') }, printer.warn);
    return exitForVerdicts(judged);
  });
};
