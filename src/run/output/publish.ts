import type { Printer } from '../input/host.ts';
import type { Result } from '../../model/result/result.ts';
import type { RunFolder } from '../../platform/files/run-folder.ts';
import { readReportAssets } from '../../platform/files/report-assets.ts';
import { terminalText } from '../../report/document/terminal-writer.ts';
import { closingVerdict } from '../../report/run/closing-verdict.ts';
import { runOverview } from '../../report/run/overview.ts';
import { runDocument } from '../../report/run/run-document.ts';
import { runPage } from '../../report/run/run-page.ts';
import type { ExitName } from './exit-codes.ts';
import type { ExtraReports } from './extra-reports.ts';
import { judgeResult } from './judge-result.ts';
import { outputFiles } from './output-folder.ts';
import { summarized, type SummarizedResult } from './run-summary.ts';
import { dataIn, fileIn, type OnStep, type Output, publishOutcome } from './write-outputs.ts';

/** Where reports are written. All destinations are opened before the load. */
export interface Destinations {
  /** The folder of the run; `null` means that nothing is written. */
  readonly folder: RunFolder | null;
  readonly extraReports: ExtraReports;
  /** Further files that are written after the reports. */
  readonly files?: readonly Output[];
}

/** A judged result, and whether all files of the result were written. */
export interface PublishedResult extends SummarizedResult {
  readonly written: 'pass' | 'unwritten';
}

interface PublishOptions {
  /** The exit of a run that was stopped; absent or `null` for any other run. */
  readonly stop?: ExitName | null;
  /** Whether an objective that is not sure counts as failed. */
  readonly isStrict?: boolean;
  readonly onStep?: OnStep;
}

/**
 * Judges a result, prints it, and writes `result.json`, `report.html` and the requested reports.
 */
export const publish = async (
  unjudged: Result,
  { folder, extraReports, files = [] }: Destinations,
  printer: Printer,
  { stop = null, isStrict = false, onStep }: PublishOptions = {},
): Promise<PublishedResult> => {
  const judged = summarized(judgeResult(unjudged, isStrict), stop);
  const { result, trust } = judged;
  if (folder === null) return { ...judged, written: 'pass' };
  const { code } = result.summary.exit;
  const json = `${JSON.stringify(result)}\n`;
  const page = async () => runPage(result, trust, await readReportAssets());
  const written = await publishOutcome(
    printer,
    {
      json,
      text: (style) => runOverview(result, trust, style),
      details: (style) => terminalText(runDocument(result, trust), style),
      closing: (style) => closingVerdict(result, trust, { exit: code, folder: folder.path }, style),
      isGood: code === 0,
    },
    [
      fileIn(folder, 'Report', outputFiles.run.page, page),
      dataIn(folder, outputFiles.run.data, json),
      ...extraReports.outputs(judged),
      ...files,
    ],
    onStep,
  );
  await extraReports.appendToJob(result, trust, printer.warn);
  return { ...judged, written };
};
