import { resolve } from 'node:path';
import { historyPath } from '../../run/input/report-paths.ts';
import type { ExtraReportPaths } from '../../run/input/run-request.ts';
import { inGroup, switchOption, textOption, UsageProblem } from './define-verb.ts';

export const outputOptions = inGroup('Output:', {
  json: switchOption('Print the result as JSON instead of the summary'),
  quiet: switchOption('Print only errors, and one line if the exit code is not 0'),
});

export const reportOptions = {
  ...outputOptions,
  ...inGroup('Output:', {
    details: switchOption('Print all figures, outcomes, keys and evidence, not only a summary'),
    junit: textOption('Also write the verdicts as JUnit XML to this file'),
    csv: textOption('Also write the figures as a CSV table to this file'),
    bill: textOption('Also write the cost as a CSV table to this file'),
    summary: textOption(
      'Also write a summary in Markdown to this file (always to $GITHUB_STEP_SUMMARY)',
    ),
  }),
};

export const strictOption = inGroup('Output:', {
  strict: switchOption(
    'Exit with 13 if an objective or a judged limit is undecided, or an objective not sure',
  ),
});

export const requestsOption = inGroup('Output:', {
  requests: textOption('Also write a row for each request to this .csv or .parquet file'),
});

export const historyOption = inGroup('Output:', {
  history: {
    type: 'boolean',
    default: true,
    describe: 'Add the run to reports/history.db or $WEIR_HISTORY; disable with --no-history',
  },
});

/** Returns the path of a GitHub job's summary page; `undefined` outside of GitHub's CI. */
export const jobSummaryPath = (): string | undefined =>
  process.env['GITHUB_STEP_SUMMARY'] === '' ? undefined : process.env['GITHUB_STEP_SUMMARY'];

const ownFiles = ['result.json', 'report.html', 'checkpoint.jsonl', 'capture.jsonl'] as const;

/**
 * Throws a `UsageProblem` if two options name the same file, or if an option names a file that the run itself writes
 * into `folder`.
 */
const checkDifferentPaths = (
  paths: Readonly<Record<string, string | readonly string[] | undefined>>,
  folder: string | undefined,
): void => {
  const seen = new Map<string, string>();
  const own = new Set(folder === undefined ? [] : ownFiles.map((name) => resolve(folder, name)));
  const named = Object.entries(paths).flatMap(([name, given]) =>
    [given ?? []].flat().map((path) => [name, path] as const),
  );
  for (const [name, path] of named) {
    const whole = resolve(path);
    if (own.has(whole)) {
      throw new UsageProblem(`--${name}: the run writes ${path} itself: give another name`);
    }
    const first = seen.get(whole);
    if (first !== undefined) {
      throw new UsageProblem(
        `--${first} and --${name}: expected two files, got ${path} for both: give one another name`,
      );
    }
    seen.set(whole, name);
  }
};

/**
 * Returns the reports that a command line asks for. Throws a `UsageProblem` if a report has the same file as another
 * report, as the observations or requests, or as a file that the run itself writes into its folder.
 */
export const extraReportsFrom = (
  {
    junit,
    csv,
    bill,
    summary,
    observations,
    requests,
  }: ExtraReportPaths & {
    readonly observations?: string | readonly string[] | undefined;
    readonly requests?: string | undefined;
  },
  folder: string | undefined,
): ExtraReportPaths => {
  checkDifferentPaths({ observations, requests, junit, csv, bill, summary }, folder);
  return { junit, csv, bill, summary, jobSummary: jobSummaryPath() };
};

/** Returns the path of the history in which a run is stored; `null` with `--no-history`. */
export const historyFrom = ({ history }: { readonly history: boolean }): string | null =>
  history ? historyPath(process.env) : null;
