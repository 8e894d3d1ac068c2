import type { OutputOptions } from '../input/run-request.ts';
import { judgeObjectives } from '../../judge/objectives/judge-objectives.ts';
import { judgeRunLimits } from '../../judge/limits/run/judge-run-limits.ts';
import { judgeTrust } from '../../judge/trust/judge-trust.ts';
import { errorBarOf } from '../../model/result/error-bar.ts';
import type { Result } from '../../model/result/result.ts';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { groupsMatching, outsideWarmUp, missingSlices } from '../../model/result/summary.ts';
import type { Trust } from '../../model/result/verdict.ts';
import { openRunFolder, type RunFolder } from '../../platform/files/run-folder.ts';
import { readReportAssets } from '../../platform/files/report-assets.ts';
import { htmlReport } from '../../report/html/html-report.ts';
import { terminalReport } from '../../report/terminal/terminal-report.ts';
import { type ExitName, gravestExit } from './exit-codes.ts';
import type { ExtraReports } from './extra-reports.ts';
import { stdoutStyle, toStderr, toStdout } from '../../platform/standard-streams.ts';

/** A result with its verdicts, and what its figures are worth. */
export interface JudgedResult {
  readonly result: Result;
  readonly trust: Trust;
}

const files = { resultPath: 'result.json', pagePath: 'report.html' } as const;

/** The folder that somebody named for a run's files; says so when another run’s are in it, which make way. */
export const openRequestedFolder = async (
  path: string,
  { quiet }: Pick<OutputOptions, 'quiet'>,
): Promise<RunFolder> => {
  const folder = await openRunFolder(path);
  const replaced = Object.values(files).filter((name) => folder.existingNames.has(name));
  if (!quiet && replaced.length > 0) {
    toStderr(`${path} holds an earlier ${replaced.join(' and ')}: overwritten by this one’s.`);
  }
  return folder;
};

const judgeResult = (result: Result): JudgedResult => {
  const trust = judgeTrust(result);
  const verdicts = judgeObjectives(result, trust);
  const errorBar = errorBarOf(result);
  return {
    result: {
      ...result,
      verdicts,
      limits: judgeRunLimits(result, trust),
      ...(errorBar === null ? {} : { errorBar }),
    },
    trust,
  };
};

/** Where reports go, opened beforehand. */
export interface Destinations {
  readonly folder: RunFolder;
  readonly extraReports: ExtraReports;
}

/** Judges a result, writes `result.json`, `report.html` and what else is wanted, and tells what is in them. */
export const publish = async (
  unjudged: Result,
  { folder, extraReports }: Destinations,
  { json, quiet }: Pick<OutputOptions, 'json' | 'quiet'>,
): Promise<JudgedResult> => {
  const { result, trust } = judgeResult(unjudged);
  const text = `${JSON.stringify(result)}\n`;
  const resultPath = await folder.write(files.resultPath, text);
  const pagePath = await folder.write(
    files.pagePath,
    htmlReport(result, trust, await readReportAssets()),
  );
  const others = await extraReports.write(result, trust);
  if (json) toStdout(text);
  else if (!quiet) toStdout(terminalReport(result, trust, stdoutStyle()));
  if (!quiet) toStderr([`Report: ${pagePath}`, `Result: ${resultPath}`, ...others].join('\n'));
  return { result, trust };
};

/** Whether less than the plan was done, be it killed; an objective that ended it has an exit of its own. */
const isIncomplete = (result: Result): boolean =>
  missingSlices(result).length > 0 || (result.partial !== null && result.breach === undefined);

/** The exit that a stored result leads to, by the precedence of the exit-code table. */
export const exitForVerdicts = ({ result, trust }: JudgedResult): ExitName => {
  const nothingSucceeded = sumOutcomes(groupsMatching(result, outsideWarmUp)).completed === 0;
  const isBroken = (result.verdicts ?? []).some(
    ({ ruling, severity }) => ruling === 'fail' && severity === 'fail',
  );
  return gravestExit([
    ...(isIncomplete(result) ? (['incomplete'] as const) : []),
    ...(trust.level === 'invalid' || nothingSucceeded ? (['invalid'] as const) : []),
    ...(result.limits?.violated === true ? (['violated'] as const) : []),
    ...(isBroken ? (['objective'] as const) : []),
  ]);
};
