import type { Printer } from '../../run/input/host.ts';
import type { ComparisonCriteria } from '../../run/input/run-request.ts';
import { compareSides } from './judge/compare-sides.ts';
import type { Side } from '../../judge/series/repetition.ts';
import {
  type ComparedProperty,
  hasOneAddressEach,
  overridable,
} from '../../judge/series/side-differences.ts';
import type { ComparisonVerdict } from '../../model/series/compared-metric.ts';
import { missingSlices } from '../../model/result/summary.ts';
import { wallClock } from '../../platform/host/clock.ts';
import type { RunFolder } from '../../platform/files/run-folder.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import { Problem } from '../../platform/problem.ts';
import { comparisonDocument, comparisonJunit } from './report/comparison-document.ts';
import { markdownText } from '../../report/document/markdown-writer.ts';
import { type ExitName, gravestExit } from '../../run/output/exit-codes.ts';
import { appendJobSummary } from '../../run/output/job-summary.ts';
import { outputFiles } from '../../run/output/output-folder.ts';
import { dataIn, fileIn, pageIn, printed, publishOutcome } from '../../run/output/write-outputs.ts';

/** Two sides and how to compare them. `intended` lists the expected differences. */
export interface ComparisonRun extends Omit<ComparisonCriteria, 'gate'> {
  readonly gates: readonly string[] | null;
  readonly base: Side;
  readonly next: Side;
  readonly intended: readonly ComparedProperty[];
}

/** Where a comparison is printed, and the CI job's page that it is also written to. */
export interface PublishOptions {
  readonly printer: Printer;
  readonly jobSummary: string | undefined;
}

const exitOf = (verdict: ComparisonVerdict, strict: boolean): ExitName => {
  if (verdict === 'regression') return 'regression';
  return verdict === 'inconclusive' && strict ? 'inconclusive' : 'pass';
};

/** The exit for runs whose figures do not count; throws a `Problem` for all other reasons. */
export const exitForRefusedComparison = (
  sides: readonly Side[],
  allowDifferent: boolean,
  reasons: readonly { readonly what: ComparedProperty; readonly message: string }[],
  warn: (text: string) => void,
): ExitName => {
  const text = [
    'These runs cannot be compared:',
    ...reasons.map(({ message }) => `  ${message}.`),
    allowDifferent
      ? 'Run both sides again, or leave these runs out.'
      : 'Run both sides with one plan until all runs are valid; or add --allow-different to compare them anyway, and the report will say so.',
  ].join('\n');
  const isUnusableRun = reasons.every(({ what }) => what === 'validity' || what === 'success');
  if (!isUnusableRun) throw new Problem(text);
  warn(text);
  const isIncomplete = sides.some(({ repetitions }) =>
    repetitions.some(({ result }) => missingSlices(result).length > 0),
  );
  return isIncomplete ? 'incomplete' : 'invalid';
};

/** Compares two sides, then opens the folder, writes the comparison and prints it. */
export const publishComparison = async (
  comparisonRun: ComparisonRun,
  open: () => Promise<RunFolder>,
  { printer, jobSummary }: PublishOptions,
): Promise<ExitName> => {
  const { base, next, gates, strict } = comparisonRun;
  const outcome = compareSides({
    base,
    next,
    gates,
    intended: comparisonRun.intended,
    allowed: comparisonRun.allowDifferent
      ? overridable
      : hasOneAddressEach(base, next)
        ? ['target']
        : [],
    weir: weirVersion(),
    comparedAt: wallClock(),
  });
  if (!outcome.ok)
    return exitForRefusedComparison(
      [base, next],
      comparisonRun.allowDifferent,
      outcome.refusals,
      printer.warn,
    );
  const { comparison } = outcome;
  const folder = await open();
  const json = `${JSON.stringify(comparison)}\n`;
  const document = comparisonDocument(comparison);
  const markdown = markdownText(document);
  const junit = () => comparisonJunit(comparison, strict);
  const written = await publishOutcome(printer, printed(document, json), [
    pageIn(folder, outputFiles.comparison.page, document),
    dataIn(folder, outputFiles.comparison.data, json),
    fileIn(folder, 'JUnit', outputFiles.comparison.junit, junit),
    fileIn(folder, 'Markdown', outputFiles.comparison.markdown, () => markdown),
  ]);
  await folder.release();
  await appendJobSummary(jobSummary, markdown, printer.warn);
  return gravestExit([exitOf(comparison.verdict, strict), written]);
};
