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
import { dataIn, fileIn, publishOutcome } from './write-outputs.ts';

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

/** A judged result, and whether all its files were written. */
export interface PublishedResult extends JudgedResult {
  readonly written: 'pass' | 'unwritten';
}

/** Judges a result, prints it, and writes `result.json`, `report.html` and the requested reports. */
export const publish = async (
  unjudged: Result,
  { folder, extraReports }: Destinations,
  printer: Printer,
): Promise<PublishedResult> => {
  const { result, trust } = judgeResult(unjudged);
  if (folder === null) return { result, trust, written: 'pass' };
  const json = `${JSON.stringify(result)}\n`;
  const page = async () => runPage(result, trust, await readReportAssets());
  const written = await publishOutcome(
    printer,
    { json, text: (style) => terminalText(runDocument(result, trust), style) },
    [
      fileIn(folder, 'Report', files.pagePath, page),
      dataIn(folder, files.resultPath, json),
      ...extraReports.outputs(result, trust),
    ],
  );
  await extraReports.appendToJob(result, trust, printer.warn);
  return { result, trust, written };
};

/** Whether a part of the plan is missing. An objective that ended the run has its own exit. */
const isIncomplete = (result: Result): boolean =>
  missingSlices(result).length > 0 || (result.partial !== null && result.breach === undefined);

/** The exit for a published result, by the precedence of the exit-code table. */
export const exitForVerdicts = ({
  result,
  trust,
  written = 'pass',
}: JudgedResult & Partial<PublishedResult>): ExitName => {
  const nothingSucceeded = sumOutcomes(groupsMatching(result, outsideWarmUp)).completed === 0;
  const isBroken = (result.verdicts ?? []).some(
    ({ ruling, severity }) => ruling === 'fail' && severity === 'fail',
  );
  return gravestExit([
    ...(isIncomplete(result) ? (['incomplete'] as const) : []),
    ...(trust.level === 'invalid' || nothingSucceeded ? (['invalid'] as const) : []),
    ...(result.limits?.violated === true ? (['violated'] as const) : []),
    ...(isBroken ? (['objective'] as const) : []),
    written,
  ]);
};
