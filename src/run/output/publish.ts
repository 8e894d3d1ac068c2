import type { Printer } from '../input/host.ts';
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
import { terminalText } from '../../report/document/terminal-writer.ts';
import { runDocument } from '../../report/run/run-document.ts';
import { runPage } from '../../report/run/run-page.ts';
import { type ExitName, gravestExit } from './exit-codes.ts';
import type { ExtraReports } from './extra-reports.ts';

/** A result with its verdicts, and whether its generator was healthy. */
export interface JudgedResult {
  readonly result: Result;
  readonly trust: Trust;
}

const files = { resultPath: 'result.json', pagePath: 'report.html' } as const;

/** Opens the folder that the user named for a run's files; prints a line if this overwrites another run's. */
export const openRequestedFolder = async (
  path: string,
  say: (text: string) => void,
): Promise<RunFolder> => {
  const folder = await openRunFolder(path);
  const replaced = Object.values(files).filter((name) => folder.existingNames.has(name));
  if (replaced.length > 0)
    say(`${path} contains an earlier ${replaced.join(' and ')}, which this run overwrites.`);
  return folder;
};

export const judgeResult = (result: Result): JudgedResult => {
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

/** The destinations of reports, opened before the load. */
export interface Destinations {
  /** `null`: nothing is written. */
  readonly folder: RunFolder | null;
  readonly extraReports: ExtraReports;
}

/** Judges a result, writes `result.json`, `report.html` and the requested reports, and prints the result. */
export const publish = async (
  unjudged: Result,
  { folder, extraReports }: Destinations,
  { print, warn }: Printer,
): Promise<JudgedResult> => {
  const { result, trust } = judgeResult(unjudged);
  if (folder === null) return { result, trust };
  const json = `${JSON.stringify(result)}\n`;
  const resultPath = await folder.write(files.resultPath, json);
  const page = runPage(result, trust, await readReportAssets());
  const pagePath = await folder.write(files.pagePath, page);
  const others = await extraReports.write(result, trust, warn);
  print({
    json,
    text: (style) => terminalText(runDocument(result, trust), style),
    files: [`Report: ${pagePath}`, `Result: ${resultPath}`, ...others].join('\n'),
  });
  return { result, trust };
};

/** Whether a part of the plan is missing. An objective that ended the run has its own exit. */
const isIncomplete = (result: Result): boolean =>
  missingSlices(result).length > 0 || (result.partial !== null && result.breach === undefined);

/** The exit for a judged result, by the precedence of the exit-code table. */
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
