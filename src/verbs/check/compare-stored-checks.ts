import { join } from 'node:path';
import { misfitPlaces } from '../../model/misfit-places.ts';
import { compareChecks } from './judge/compare-checks.ts';
import { type CheckReport, checkReportSchema } from './model/check-report.ts';
import { beginningOf, isExistingFolder } from '../../platform/files/plain-files.ts';
import { readTextFile } from '../../platform/files/whole-file.ts';
import { pathExists } from '../../platform/files/run-folder.ts';
import { Problem } from '../../platform/problem.ts';
import {
  checkComparisonDocument,
  checkComparisonJunit,
} from './report/check-comparison-document.ts';
import type { Host } from '../../run/input/host.ts';
import { type ExitName, gravestExit } from '../../run/output/exit-codes.ts';
import { openOutputFolder, outputFiles, usingFolder } from '../../run/output/output-folder.ts';
import { publishReport } from '../../run/output/write-outputs.ts';

/** Returns the file of a check. The path names the file or its folder. Returns `null` if there is no such file. */
const checkFileAt = async (path: string): Promise<string | null> => {
  const file = (await isExistingFolder(path)) ? join(path, outputFiles.check.data) : path;
  if (!(await pathExists(file))) return null;
  const text = await beginningOf(file, 100).catch(() => '');
  return /^\s*\{\s*"format":\s*"check\//.test(text) ? file : null;
};

const readCheck = async (file: string): Promise<CheckReport> => {
  const text = await readTextFile(file);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Problem(`${file} is not JSON: expected a check.json that \`weir check\` wrote`);
  }
  const parsed = checkReportSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const places = misfitPlaces(parsed.error.issues);
  throw new Problem(
    `${file} was written by another version of Weir or changed since: at ${places}; check again with this version`,
  );
};

/**
 * Returns the two checks that a command line names; `null` if the command line names runs. Throws a `Problem` if the
 * command line names a check and a run.
 */
export const checksAmong = async (sides: {
  readonly base: readonly string[];
  readonly next: readonly string[] | null;
}): Promise<readonly [before: string, after: string] | null> => {
  const paths = [...sides.base, ...(sides.next ?? [])];
  const files = await Promise.all(paths.map(checkFileAt));
  if (files.every((file) => file === null)) return null;
  const [before, after, ...more] = files;
  if (typeof before === 'string' && typeof after === 'string' && more.length === 0)
    return [before, after];
  throw new Problem(
    `checks are compared in pairs: expected two check.json, or their folders, the earlier one first; got ${paths.join(' ')}`,
  );
};

export const compareStoredChecks = async (
  [before, after]: readonly [string, string],
  options: {
    readonly out: string | undefined;
    readonly strict: boolean;
    readonly jobSummary: string | undefined;
  },
  { printer }: Host,
): Promise<ExitName> => {
  const comparison = compareChecks(await readCheck(before), await readCheck(after));
  const folder = await openOutputFolder(options.out, 'comparison', printer.say);
  return usingFolder(folder, async () => {
    const written = await publishReport(printer, folder, 'comparison', {
      report: comparison,
      document: checkComparisonDocument(comparison),
      junit: () => checkComparisonJunit(comparison),
      markdownTitle: 'Summary',
      jobSummary: options.jobSummary,
    });
    const has = (change: string): boolean =>
      comparison.changes.some((each) => each.change === change);
    const exit = has('worse')
      ? 'regression'
      : has('lost') && options.strict
        ? 'inconclusive'
        : 'pass';
    return gravestExit([exit, written]);
  });
};
