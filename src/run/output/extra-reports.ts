import type { ExtraReportPaths } from '../input/run-request.ts';
import type { Result } from '../../model/result/result.ts';
import type { Trust } from '../../model/result/verdict.ts';
import { type LineFile, openLineFile } from '../../platform/files/line-file.ts';
import { runFiguresCsv } from '../../report/figures-csv.ts';
import { stepSummary } from '../../report/markdown/step-summary.ts';
import { runJunit } from '../../report/junit/run-junit.ts';
import { appendJobSummary } from './job-summary.ts';

/** The reports that are written on demand, each to a file of its own. */
const reportKinds = {
  junit: { title: 'JUnit', render: runJunit },
  csv: { title: 'CSV', render: runFiguresCsv },
  summary: { title: 'Summary', render: stepSummary },
} as const satisfies Record<
  keyof ExtraReportPaths,
  { readonly title: string; readonly render: (result: Result, trust: Trust) => string }
>;
type ReportKind = keyof typeof reportKinds;
const reportKindNames = Object.keys(reportKinds) as readonly ReportKind[];

/** Reports whose files are open, so that a wrong path is found before the load. */
export interface ExtraReports {
  /** Writes all of them; says where each is, a line for each. */
  readonly write: (result: Result, trust: Trust) => Promise<readonly string[]>;
  /** Leaves the files as they were found. */
  readonly discard: () => Promise<void>;
}

/** Opens the files of all wanted reports; a job's page that `environment` names gets the summary too. Throws a `Problem` when one cannot be written. */
export const openExtraReports = async (
  paths: ExtraReportPaths,
  environment: NodeJS.ProcessEnv,
): Promise<ExtraReports> => {
  const opened: { kind: ReportKind; path: string; file: LineFile }[] = [];
  const discard = async (): Promise<void> => {
    for (const { file } of opened) await file.discard();
  };
  try {
    for (const kind of reportKindNames) {
      const path = paths[kind];
      if (path !== undefined) opened.push({ kind, path, file: await openLineFile(path) });
    }
  } catch (error) {
    await discard();
    throw error;
  }
  return {
    discard,
    write: async (result, trust) => {
      for (const { kind, file } of opened) {
        file.write(reportKinds[kind].render(result, trust).replace(/\n$/, ''));
        await file.close();
      }
      await appendJobSummary(environment, stepSummary(result, trust));
      return opened.map(({ kind, path }) => `${reportKinds[kind].title}: ${path}`);
    },
  };
};
