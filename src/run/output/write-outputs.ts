import { readReportAssets } from '../../platform/files/report-assets.ts';
import type { ReportDocument } from '../../report/document/document.ts';
import { themedPage } from '../../report/document/html-page.ts';
import { terminalText } from '../../report/document/terminal-writer.ts';
import { join } from 'node:path';
import { keepElsewhere } from '../../platform/files/plain-files.ts';
import type { RunFolder } from '../../platform/files/run-folder.ts';
import { isForeseen, whyUnwritable } from '../../platform/files/file-error-reasons.ts';
import { Problem } from '../../platform/problem.ts';
import { countText } from '../../report/text/number-text.ts';
import { markdownText } from '../../report/document/markdown-writer.ts';
import { present } from '../../report/text/present.ts';
import type { PrintedOutcome, Printer } from '../input/host.ts';
import { appendJobSummary } from './job-summary.ts';
import { outputFiles, type OutputNames } from './output-folder.ts';

export interface Output {
  /** A title of the file for users, such as `Report`. */
  readonly title: string;
  readonly path: string;
  readonly write: () => Promise<unknown>;
  /**
   * The content of a file with data that cannot be made again; absent for other files. If the file cannot be written,
   * the content is written to a temporary folder.
   */
  readonly data?: string;
}

/** Describes a file in a command's folder. `write` writes the file completely or not at all. */
export const fileIn = (
  folder: RunFolder,
  title: string,
  name: string,
  render: () => string | Promise<string>,
): Output => ({
  title,
  path: join(folder.path, name),
  write: async () => folder.write(name, await render()),
});

export const pageIn = (folder: RunFolder, name: string, document: ReportDocument): Output =>
  fileIn(folder, 'Report', name, async () => themedPage(document, await readReportAssets()));

export const printed = (document: ReportDocument, json: string): PrintedOutcome => ({
  json,
  text: (style) => terminalText(document, style),
});

/** Describes the file with a command's figures. All other files can be made again from this file. */
export const dataIn = (folder: RunFolder, name: string, data: string): Output => ({
  ...fileIn(folder, 'Result', name, () => data),
  data,
});

const rescue = async ({ path, data }: Output): Promise<string> => {
  if (data === undefined) return '';
  try {
    return `; its data is in ${await keepElsewhere(path, data)}`;
  } catch {
    return '';
  }
};

/** Called when a command begins a step, or makes progress in a step. */
export type OnStep = (step: string, part?: 'begins' | 'goes on') => void;

/**
 * Returns a function that prints each step that begins after the first second. The function also prints the progress of
 * a step, but less and less often: after each line, no progress is printed until the elapsed time has doubled.
 */
export const sayLateSteps = (say: (text: string) => void, now: () => number): OnStep => {
  const began = now();
  let next = 1000;
  return (step, part = 'begins') => {
    const elapsed = now() - began;
    if (elapsed < (part === 'begins' ? 1000 : next)) return;
    next = 2 * elapsed;
    say(`after ${countText(Math.floor(elapsed / 1000))} s: ${step}`);
  };
};

/**
 * Prints an outcome, then writes each of its files. A file that cannot be written causes a warning and the exit
 * `unwritten`, but does not affect the figures and the other files. If the content of a file cannot be made, this is a
 * defect of Weir, and the error is thrown at the end.
 */
export const publishOutcome = async (
  { print, listFiles, warn, close }: Printer,
  outcome: PrintedOutcome,
  outputs: readonly Output[],
  onStep: OnStep = () => undefined,
): Promise<'pass' | 'unwritten'> => {
  const written = new Set<Output>();
  const defects: unknown[] = [];
  try {
    print(outcome);
  } catch (defect) {
    defects.push(defect);
  }
  const dataFirst = outputs.toSorted((a, b) => Number('data' in b) - Number('data' in a));
  for (const output of dataFirst) {
    const { title, path, write } = output;
    onStep(`writing ${path}`);
    try {
      await write();
      written.add(output);
    } catch (error) {
      if (!isForeseen(error)) defects.push(error);
      const reason = error instanceof Problem ? error.message : `${path}: ${whyUnwritable(error)}`;
      warn(`${title}: not written: ${reason}${await rescue(output)}.`);
    }
  }
  const listed = outputs.filter((output) => written.has(output));
  const titleWidth = Math.max(...listed.map(({ title }) => title.length)) + 1;
  listFiles(
    listed.map(({ title, path }) => `${`${title}:`.padEnd(titleWidth)} ${path}`).join('\n'),
  );
  close(outcome);
  if (defects.length > 0) throw defects[0];
  return listed.length === outputs.length ? 'pass' : 'unwritten';
};

export interface CommandReport {
  /** The figures, which are stored as JSON. */
  readonly report: object;
  readonly document: ReportDocument;
  /** Fields of the printed outcome that replace those of `document`. */
  readonly print?: Partial<PrintedOutcome>;
  readonly junit?: () => string;
  readonly markdownTitle?: string;
  readonly jobSummary?: string | undefined;
}

/**
 * Prints the findings of a command. Also writes the files in the command's row of `outputFiles`, and the summary of a
 * CI job.
 */
export const publishReport = async (
  printer: Printer,
  folder: RunFolder,
  kind: keyof typeof outputFiles,
  { report, document, print, junit, markdownTitle = 'Markdown', jobSummary }: CommandReport,
): Promise<'pass' | 'unwritten'> => {
  const json = `${JSON.stringify(report)}\n`;
  const names: OutputNames = outputFiles[kind];
  const markdown = names.markdown === undefined ? null : markdownText(document);
  const written = await publishOutcome(
    printer,
    { ...printed(document, json), ...print },
    present([
      names.page !== undefined && pageIn(folder, names.page, document),
      dataIn(folder, names.data, json),
      junit !== undefined && fileIn(folder, 'JUnit', names.junit!, junit),
      markdown !== null && fileIn(folder, markdownTitle, names.markdown!, () => markdown),
    ]),
  );
  if (markdown !== null) await appendJobSummary(jobSummary, markdown, printer.warn);
  return written;
};
