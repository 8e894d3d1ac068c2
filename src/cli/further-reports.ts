import type { Result } from '../model/result.ts';
import type { Trust } from '../model/verdict.ts';
import { type LineFile, openLineFile } from '../platform/lines.ts';
import { figuresCsv } from '../report/csv.ts';
import { stepSummary } from '../report/markdown/step-summary.ts';
import { runJunit } from '../report/run-junit.ts';
import { toJobPage } from './job-page.ts';
import type { Wanted } from './report-options.ts';

/** The reports that are written on demand, each to a file of its own. */
const kinds = {
  junit: { title: 'JUnit', render: runJunit },
  csv: { title: 'CSV', render: figuresCsv },
  summary: { title: 'Summary', render: stepSummary },
} as const satisfies Record<
  keyof Wanted,
  { readonly title: string; readonly render: (result: Result, trust: Trust) => string }
>;
type Kind = keyof typeof kinds;
const kindNames = Object.keys(kinds) as readonly Kind[];

/** Reports whose files are open, so that a wrong path is found before the load. */
export interface FurtherReports {
  /** Writes all of them; says where each is, a line for each. */
  readonly write: (result: Result, trust: Trust) => Promise<readonly string[]>;
  /** Leaves the files as they were found. */
  readonly discard: () => Promise<void>;
}

/** Opens the files of all wanted reports; a job's page that `environment` names gets the summary too. Throws a `Problem` when one cannot be written. */
export const openFurtherReports = async (
  wanted: Wanted,
  environment: NodeJS.ProcessEnv,
): Promise<FurtherReports> => {
  const opened: { kind: Kind; path: string; file: LineFile }[] = [];
  const discard = async (): Promise<void> => {
    for (const { file } of opened) await file.discard();
  };
  try {
    for (const kind of kindNames) {
      const path = wanted[kind];
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
        file.write(kinds[kind].render(result, trust).replace(/\n$/, ''));
        await file.close();
      }
      await toJobPage(environment, stepSummary(result, trust));
      return opened.map(({ kind, path }) => `${kinds[kind].title}: ${path}`);
    },
  };
};
