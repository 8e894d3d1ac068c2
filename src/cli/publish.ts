import { judgeTrust } from '../judge/trust.ts';
import type { Result } from '../model/result.ts';
import { groupsWhere, measured, missingSlices, outcomesOf } from '../model/summary.ts';
import type { Trust } from '../model/verdict.ts';
import { openRunFolder, type RunFolder } from '../platform/files.ts';
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

const files = { data: 'result.json', page: 'report.html' } as const;

/** The folder that somebody named for a run's files; says so when another run’s are in it, which make way. */
export const openNamedFolder = async (path: string, { quiet }: Telling): Promise<RunFolder> => {
  const folder = await openRunFolder(path);
  const replaced = Object.values(files).filter((name) => folder.before.has(name));
  if (!quiet && replaced.length > 0) {
    toStderr(`${path} holds an earlier ${replaced.join(' and ')}: overwritten by this one’s.`);
  }
  return folder;
};

/** Judges a result, writes `result.json` and `report.html` into the folder and tells what is in them. */
export const publish = async (
  result: Result,
  folder: RunFolder,
  { json, quiet }: Telling,
): Promise<Trust> => {
  const trust = judgeTrust(result);
  const text = `${JSON.stringify(result)}\n`;
  const data = await folder.write(files.data, text);
  const page = await folder.write(files.page, htmlReport(result, trust, await readReportAssets()));
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
