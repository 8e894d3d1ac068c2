import { judgeTrust } from '../judge/trust.ts';
import type { Result } from '../model/result.ts';
import { groupsWhere, measured, missingSlices, outcomesOf } from '../model/summary.ts';
import type { Trust } from '../model/verdict.ts';
import type { RunFolder } from '../platform/files.ts';
import { readReportAssets } from '../platform/report-assets.ts';
import { htmlReport } from '../report/html/html.ts';
import { terminalReport } from '../report/terminal/terminal.ts';
import type { ExitName } from './exit-codes.ts';
import { stdoutLook, toStderr, toStdout } from './streams.ts';

/** How a result is told: the summary on standard output, or the JSON there and nothing else, or only files. */
export interface Telling {
  readonly json: boolean;
  readonly quiet: boolean;
}

/** Judges a result, writes `result.json` and `report.html` into the folder and tells what is in them. */
export const publish = async (
  result: Result,
  folder: RunFolder,
  { json, quiet }: Telling,
): Promise<Trust> => {
  const trust = judgeTrust(result);
  const text = `${JSON.stringify(result)}\n`;
  const data = await folder.write('result.json', text);
  const page = await folder.write(
    'report.html',
    htmlReport(result, trust, await readReportAssets()),
  );
  if (json) toStdout(text);
  else if (!quiet) toStdout(terminalReport(result, trust, stdoutLook()));
  if (!quiet) toStderr(`Report: ${page}\nResult: ${data}`);
  return trust;
};

/** The exit that a complete run’s figures lead to, by the precedence of the exit-code table. */
export const verdictExit = (result: Result, trust: Trust): ExitName => {
  if (missingSlices(result).length > 0) return 'incomplete';
  const nothingSucceeded = outcomesOf(groupsWhere(result, measured)).completed === 0;
  return trust.level === 'invalid' || nothingSucceeded ? 'invalid' : 'pass';
};
