import { isGateName, totals } from '../../judge/series/gates.ts';
import { Problem } from '../../platform/problem.ts';
import type { Printer } from '../../run/input/host.ts';
import { type ComparisonCriteria, minSelfRuns } from '../../run/input/run-request.ts';
import { compareSides, type CompareSidesOptions } from './judge/compare-sides.ts';
import type { Side } from '../../judge/series/repetition.ts';
import { type ComparedProperty, hasOneAddressEach, overridable } from './judge/side-differences.ts';
import { missingSlices } from '../../model/result/summary.ts';
import { wallClock } from '../../platform/host/clock.ts';
import type { RunFolder } from '../../platform/files/run-folder.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import { comparisonDocument, comparisonJunit } from './report/comparison-document.ts';
import { type ExitName, gravestExit } from '../../run/output/exit-codes.ts';
import { usingFolder } from '../../run/output/output-folder.ts';
import { publishReport } from '../../run/output/write-outputs.ts';
import { selfNoise, type SelfNoiseOptions } from './judge/self-noise.ts';
import { noiseDocument } from './report/noise-document.ts';

/** Returns the metrics that `--gate` names; `null` if the option is absent. Default metrics then decide. */
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

/**
 * Returns the exit if the comparison was refused because a run is invalid or has no success. Throws a `Problem` for any
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

/** Compares two sides, then opens the folder, writes the comparison into it, and prints the comparison. */
export const publishComparison = async (
  { base, next, gates, intended, allowDifferent, strict }: ComparisonRun,
  open: () => Promise<RunFolder>,
  { printer, jobSummary }: PublishOptions,
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
    return exitForRefusedComparison([base, next], allowDifferent, outcome.refusals, printer.warn);
  const { comparison } = outcome;
  const folder = await open();
  const written = await usingFolder(folder, () =>
    publishReport(printer, folder, 'comparison', {
      report: comparison,
      document: comparisonDocument(comparison),
      junit: () => comparisonJunit(comparison, strict),
      jobSummary,
    }),
  );
  if (comparison.verdict === 'regression') return gravestExit(['regression', written]);
  return comparison.verdict === 'inconclusive' && strict
    ? gravestExit(['inconclusive', written])
    : written;
};

/**
 * Measures how much runs of one plan differ. Then opens the folder, writes the measurement into it, and prints it. A
 * measurement never fails.
 */
export const publishNoise = async (
  {
    gates,
    side,
    allowDifferent,
  }: Pick<ComparisonCriteria, 'allowDifferent'> & Pick<SelfNoiseOptions, 'gates' | 'side'>,
  open: () => Promise<RunFolder>,
  { printer, jobSummary }: PublishOptions,
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
    return exitForRefusedComparison([side], allowDifferent, outcome.refusals, printer.warn);
  const report = outcome.noise;
  const folder = await open();
  return usingFolder(folder, () =>
    publishReport(printer, folder, 'noise', {
      report,
      document: noiseDocument(report),
      jobSummary,
    }),
  );
};
