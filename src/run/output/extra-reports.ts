import type { ExtraReportPaths } from '../input/run-request.ts';
import type { Result } from '../../model/result/result.ts';
import type { Trust } from '../../model/result/verdict.ts';
import { hasContent } from '../../platform/files/plain-files.ts';
import { openReportFile, type ReportFile } from '../../platform/files/report-file.ts';
import { appendJobSummary } from './job-summary.ts';
import type { JudgedResult } from './judge-result.ts';
import type { Output } from './write-outputs.ts';

type Render = (result: Result, trust: Trust, isStrict: boolean) => string;

const loadSummary = async (): Promise<Render> =>
  (await import('../../report/run/run-document.ts')).stepSummary;

/**
 * The reports that are written only on request, each to its own file. The code of these reports is imported only after
 * the load has ended.
 */
const reportKinds = {
  junit: {
    title: 'JUnit',
    load: async () => (await import('../../report/junit/run-junit.ts')).runJunit,
  },
  csv: {
    title: 'CSV',
    load: async () => (await import('../../report/figures-csv.ts')).runFiguresCsv,
  },
  bill: {
    title: 'Bill',
    load: async () => (await import('../../report/run/bill-csv.ts')).runBillCsv,
  },
  summary: { title: 'Summary', load: loadSummary },
} as const satisfies Record<
  Exclude<keyof ExtraReportPaths, 'jobSummary'>,
  { readonly title: string; readonly load: () => Promise<Render> }
>;
type ReportKind = keyof typeof reportKinds;
const reportKindNames = Object.keys(reportKinds) as readonly ReportKind[];

/**
 * The files of the requested reports. The files are opened before the load, so a wrong path is noticed early. Each file
 * is written completely or not at all.
 */
export interface ExtraReports {
  readonly outputs: (judged: JudgedResult) => readonly Output[];
  /** Appends a summary to the page of a CI job, if there is one. */
  readonly appendToJob: (
    result: Result,
    trust: Trust,
    warn: (text: string) => void,
  ) => Promise<void>;
  /** Closes the files and leaves their content unchanged. */
  readonly discard: () => Promise<void>;
}

/**
 * Opens the files of all requested reports, and says which files will be overwritten. Throws a `Problem` if a file
 * cannot be written.
 */
export const openExtraReports = async (
  paths: ExtraReportPaths,
  say: (text: string) => void,
): Promise<ExtraReports> => {
  const opened: { kind: ReportKind; path: string; file: ReportFile }[] = [];
  const discard = async (): Promise<void> => {
    for (const { file } of opened) await file.discard();
  };
  try {
    for (const kind of reportKindNames) {
      const path = paths[kind];
      if (path === undefined) continue;
      if (await hasContent(path)) say(`${path} is overwritten.`);
      opened.push({ kind, path, file: await openReportFile(path) });
    }
  } catch (error) {
    await discard();
    throw error;
  }
  return {
    discard,
    outputs: ({ result, trust, isStrict = false }) =>
      opened.map(({ kind, path, file }) => ({
        title: reportKinds[kind].title,
        path,
        write: async () => {
          const render = await reportKinds[kind].load();
          await file.write(`${render(result, trust, isStrict).replace(/\n$/, '')}\n`);
        },
      })),
    appendToJob: async (result, trust, warn) => {
      if (paths.jobSummary !== undefined)
        await appendJobSummary(paths.jobSummary, (await loadSummary())(result, trust, false), warn);
    },
  };
};
