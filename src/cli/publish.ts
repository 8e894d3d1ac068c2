import { judgeObjectives } from '../judge/objectives.ts';
import { judgeRunLimits } from '../judge/limits/judge-run-limits.ts';
import { judgeTrust } from '../judge/trust.ts';
import { errorBarOf } from '../model/error-bar.ts';
import type { Result } from '../model/result.ts';
import { outcomesOf } from '../model/outcomes.ts';
import { groupsWhere, measured, missingSlices } from '../model/summary.ts';
import type { Trust } from '../model/verdict.ts';
import { openRunFolder, type RunFolder } from '../platform/files.ts';
import { readReportAssets } from '../platform/report-assets.ts';
import { htmlReport } from '../report/html/html.ts';
import { terminalReport } from '../report/terminal/terminal.ts';
import { type ExitName, gravestExit } from './exit-codes.ts';
import type { FurtherReports } from './further-reports.ts';
import type { Telling } from './report-options.ts';
import { stdoutLook, toStderr, toStdout } from './streams.ts';

/** A result with its verdicts, and what its figures are worth. */
export interface Judged {
  readonly result: Result;
  readonly trust: Trust;
}

const files = { data: 'result.json', page: 'report.html' } as const;

/** The folder that somebody named for a run's files; says so when another run’s are in it, which make way. */
export const openNamedFolder = async (
  path: string,
  { quiet }: Pick<Telling, 'quiet'>,
): Promise<RunFolder> => {
  const folder = await openRunFolder(path);
  const replaced = Object.values(files).filter((name) => folder.before.has(name));
  if (!quiet && replaced.length > 0) {
    toStderr(`${path} holds an earlier ${replaced.join(' and ')}: overwritten by this one’s.`);
  }
  return folder;
};

const judged = (result: Result): Judged => {
  const trust = judgeTrust(result);
  const verdicts = judgeObjectives(result, trust);
  const errorBar = errorBarOf(result);
  return {
    result: {
      ...{ ...result, verdicts, limits: judgeRunLimits(result, trust) },
      ...(errorBar === null ? {} : { errorBar }),
    },
    trust,
  };
};

/** Where reports go, opened beforehand. */
export interface Destinations {
  readonly folder: RunFolder;
  readonly further: FurtherReports;
}

/** Judges a result, writes `result.json`, `report.html` and what else is wanted, and tells what is in them. */
export const publish = async (
  unjudged: Result,
  { folder, further }: Destinations,
  { json, quiet }: Pick<Telling, 'json' | 'quiet'>,
): Promise<Judged> => {
  const { result, trust } = judged(unjudged);
  const text = `${JSON.stringify(result)}\n`;
  const data = await folder.write(files.data, text);
  const page = await folder.write(files.page, htmlReport(result, trust, await readReportAssets()));
  const others = await further.write(result, trust);
  if (json) toStdout(text);
  else if (!quiet) toStdout(terminalReport(result, trust, stdoutLook()));
  if (!quiet) toStderr([`Report: ${page}`, `Result: ${data}`, ...others].join('\n'));
  return { result, trust };
};

/** Whether less than the plan was done, be it killed; an objective that ended it has an exit of its own. */
const isIncomplete = (result: Result): boolean =>
  missingSlices(result).length > 0 || (result.partial !== null && result.breach === undefined);

/** The exit that a stored result leads to, by the precedence of the exit-code table. */
export const verdictExit = ({ result, trust }: Judged): ExitName => {
  const nothingSucceeded = outcomesOf(groupsWhere(result, measured)).completed === 0;
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
