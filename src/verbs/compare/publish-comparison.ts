import { isGateName, totals } from '../../judge/series/gates.ts';
import { Problem } from '../../platform/problem.ts';
import type { Printer } from '../../run/input/host.ts';
import { type ComparisonCriteria, minSelfRuns } from '../../run/input/run-request.ts';
import { compareSides, type CompareSidesOptions } from './judge/compare-sides.ts';
import type { Side } from '../../judge/series/repetition.ts';
import {
  type ComparedProperty,
  hasOneAddressEach,
  overridable,
} from '../../judge/series/side-differences.ts';
import { missingSlices } from '../../model/result/summary.ts';
import { wallClock } from '../../platform/host/clock.ts';
import type { RunFolder } from '../../platform/files/run-folder.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import { comparisonDocument, comparisonJunit } from './report/comparison-document.ts';
import type { ReportDocument } from '../../report/document/document.ts';
import { markdownText } from '../../report/document/markdown-writer.ts';
import { type ExitName, gravestExit } from '../../run/output/exit-codes.ts';
import { appendJobSummary } from '../../run/output/job-summary.ts';
import { outputFiles, usingFolder } from '../../run/output/output-folder.ts';
import {
  dataIn,
  fileIn,
  type Output,
  pageIn,
  printed,
  publishOutcome,
} from '../../run/output/write-outputs.ts';
import { selfNoise, type SelfNoiseOptions } from './judge/self-noise.ts';
import { noiseDocument } from './report/noise-document.ts';

/** Returns the metrics that `--gate` names; `null` if the option is absent, so that the default metrics decide. */
export const readGates = (text: string | undefined): readonly string[] | null => {
  if (text === undefined) return null;
  const names = [...new Set(text.split(',').map((name) => name.trim()))];
  const unknown = names.filter((name) => !isGateName(name));
  if (unknown.length === 0) return names;
  throw new Problem(
    `--gate: expected ${totals.join(', ')}, or a measure and its percentile such as ttft.p95 or endToEnd.p50; got ${unknown.join(', ')}`,
  );
};

type ComparisonRun = Omit<ComparisonCriteria, 'gate'> &
  Pick<CompareSidesOptions, 'gates' | 'base' | 'next' | 'intended'>;

interface PublishOptions {
  readonly printer: Printer;
  readonly jobSummary: string | undefined;
}

/** Opens a folder, prints a document, writes its files, and adds it to the page of a CI job. */
const publishIn = async (
  open: () => Promise<RunFolder>,
  { printer, jobSummary }: PublishOptions,
  document: ReportDocument,
  json: string,
  outputsIn: (folder: RunFolder, markdown: string) => readonly Output[],
): Promise<'pass' | 'unwritten'> => {
  const folder = await open();
  const markdown = markdownText(document);
  const outputs = outputsIn(folder, markdown);
  const written = await usingFolder(folder, () =>
    publishOutcome(printer, printed(document, json), outputs),
  );
  await appendJobSummary(jobSummary, markdown, printer.warn);
  return written;
};

/**
 * Returns the exit if the comparison was refused because the figures of runs do not count. Throws a `Problem` for any
 * other reason.
 */
const exitForRefusedComparison = (
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
  if (isIncomplete) return 'incomplete';
  return reasons.every(({ what }) => what === 'success') ? 'empty' : 'invalid';
};

/** Compares two sides. Only then opens the folder, writes the comparison into it, and prints it. */
export const publishComparison = async (
  { base, next, gates, intended, allowDifferent, strict }: ComparisonRun,
  open: () => Promise<RunFolder>,
  options: PublishOptions,
): Promise<ExitName> => {
  const outcome = compareSides({
    base,
    next,
    gates,
    intended,
    allowed: allowDifferent ? overridable : hasOneAddressEach(base, next) ? ['target'] : [],
    weir: weirVersion(),
    comparedAt: wallClock(),
  });
  if (!outcome.ok)
    return exitForRefusedComparison(
      [base, next],
      allowDifferent,
      outcome.refusals,
      options.printer.warn,
    );
  const { comparison } = outcome;
  const json = `${JSON.stringify(comparison)}\n`;
  const document = comparisonDocument(comparison);
  const files = outputFiles.comparison;
  const written = await publishIn(open, options, document, json, (folder, markdown) => [
    pageIn(folder, files.page, document),
    dataIn(folder, files.data, json),
    fileIn(folder, 'JUnit', files.junit, () => comparisonJunit(comparison, strict)),
    fileIn(folder, 'Markdown', files.markdown, () => markdown),
  ]);
  if (comparison.verdict === 'regression') return gravestExit(['regression', written]);
  return comparison.verdict === 'inconclusive' && strict
    ? gravestExit(['inconclusive', written])
    : written;
};

/**
 * Measures how much runs of one plan differ. Only then opens the folder, writes the measurement into it, and prints it.
 * A measurement never fails.
 */
export const publishNoise = async (
  {
    gates,
    side,
    allowDifferent,
  }: Pick<ComparisonCriteria, 'allowDifferent'> & Pick<SelfNoiseOptions, 'gates' | 'side'>,
  open: () => Promise<RunFolder>,
  options: PublishOptions,
): Promise<ExitName> => {
  if (side.repetitions.length < minSelfRuns) {
    throw new Problem(
      `--self: expected at least ${minSelfRuns} runs, two in each half, and ten to know the noise well; got ${side.repetitions.length}`,
    );
  }
  const outcome = selfNoise({
    side,
    gates,
    allowed: allowDifferent ? overridable : [],
    weir: weirVersion(),
    comparedAt: wallClock(),
  });
  if (!outcome.ok)
    return exitForRefusedComparison([side], allowDifferent, outcome.refusals, options.printer.warn);
  const json = `${JSON.stringify(outcome.noise)}\n`;
  const document = noiseDocument(outcome.noise);
  const files = outputFiles.noise;
  return publishIn(open, options, document, json, (folder, markdown) => [
    dataIn(folder, files.data, json),
    fileIn(folder, 'Markdown', files.markdown, () => markdown),
  ]);
};
