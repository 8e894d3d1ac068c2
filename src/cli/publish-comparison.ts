import { compareSides } from '../judge/compare/compare-sides.ts';
import type { Side } from '../judge/compare/repetition.ts';
import { type Comparable, overridable } from '../judge/compare/side-differences.ts';
import type { ComparisonVerdict } from '../model/comparison.ts';
import { missingSlices } from '../model/summary.ts';
import { wallClock } from '../platform/clock.ts';
import type { RunFolder } from '../platform/files.ts';
import { weirVersion } from '../platform/machine.ts';
import { Problem } from '../platform/problem.ts';
import { readReportAssets } from '../platform/report-assets.ts';
import { comparisonHtml } from '../report/compare/comparison-html.ts';
import { comparisonJunit } from '../report/compare/comparison-junit.ts';
import { comparisonMarkdown } from '../report/compare/comparison-markdown.ts';
import { comparisonTerminal } from '../report/compare/comparison-terminal.ts';
import type { ComparisonRequest } from './compare-options.ts';
import type { ExitName } from './exit-codes.ts';
import { toJobPage } from './job-page.ts';
import type { Telling } from './report-options.ts';
import { stdoutLook, toStderr, toStdout } from './streams.ts';

/** Two sides and how to compare them. `intended` is what they are meant to differ in. */
export interface Contest extends Omit<ComparisonRequest, 'gate'> {
  readonly gates: readonly string[] | null;
  readonly base: Side;
  readonly next: Side;
  readonly intended: readonly Comparable[];
}

const exitOf = (verdict: ComparisonVerdict, strict: boolean): ExitName => {
  if (verdict === 'regression') return 'regression';
  return verdict === 'inconclusive' && strict ? 'inconclusive' : 'pass';
};

/** Runs whose figures do not count have exits of their own; all other reasons are the user's to mend. */
export const refusal = (
  sides: readonly Side[],
  allowDifferent: boolean,
  reasons: readonly { readonly what: Comparable; readonly message: string }[],
): ExitName => {
  const text = [
    'These runs may not be compared:',
    ...reasons.map(({ message }) => `  ${message}.`),
    allowDifferent
      ? 'Run both sides again, or leave these runs out.'
      : 'Run both sides of one plan, all of them valid; or add --allow-different to compare them all the same, and the report will say so.',
  ].join('\n');
  const isOwnFault = reasons.every(({ what }) => what === 'validity' || what === 'success');
  if (!isOwnFault) throw new Problem(text);
  toStderr(text);
  const isIncomplete = sides.some(({ repetitions }) =>
    repetitions.some(({ result }) => missingSlices(result).length > 0),
  );
  return isIncomplete ? 'incomplete' : 'invalid';
};

/** Compares, writes the forms of the comparison into the folder, which is opened only then, and tells it; the exit is its verdict. */
export const publishComparison = async (
  contest: Contest,
  open: () => Promise<RunFolder>,
  { json, quiet }: Pick<Telling, 'json' | 'quiet'>,
): Promise<ExitName> => {
  const { base, next, gates, strict } = contest;
  const found = compareSides({
    ...{ base, next, gates },
    intended: contest.intended,
    allowed: contest.allowDifferent ? overridable : [],
    ...{ weir: weirVersion(), comparedAt: wallClock() },
  });
  if (!found.ok) return refusal([base, next], contest.allowDifferent, found.refusals);
  const { comparison } = found;
  const folder = await open();
  const text = `${JSON.stringify(comparison)}\n`;
  const { pageStyle } = await readReportAssets();
  const data = await folder.write('comparison.json', text);
  const page = await folder.write('comparison.html', comparisonHtml(comparison, pageStyle));
  const junit = await folder.write('comparison.junit.xml', comparisonJunit(comparison, strict));
  const markdown = comparisonMarkdown(comparison);
  const summary = await folder.write('comparison.md', markdown);
  await toJobPage(process.env, markdown);
  if (json) toStdout(text);
  else if (!quiet) toStdout(comparisonTerminal(comparison, stdoutLook()));
  if (!quiet) toStderr(`Report: ${page}\nResult: ${data}\nJUnit:  ${junit}\nMarkdown: ${summary}`);
  return exitOf(comparison.verdict, strict);
};
