import { type ComparisonCriteria, minSelfRuns } from '../../run/input/run-request.ts';
import type { Side } from '../../judge/series/repetition.ts';
import { selfNoise } from './judge/self-noise.ts';
import { overridable } from '../../judge/series/side-differences.ts';
import { wallClock } from '../../platform/host/clock.ts';
import type { RunFolder } from '../../platform/files/run-folder.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import { Problem } from '../../platform/problem.ts';
import { noiseDocument } from './report/noise-document.ts';
import { markdownText } from '../../report/document/markdown-writer.ts';
import type { ExitName } from '../../run/output/exit-codes.ts';
import { appendJobSummary } from '../../run/output/job-summary.ts';
import { outputFiles } from '../../run/output/output-folder.ts';
import { dataIn, fileIn, printed, publishOutcome } from '../../run/output/write-outputs.ts';
import { exitForRefusedComparison, type PublishOptions } from './publish-comparison.ts';

/** Runs of an unchanged system, and how to compare them with each other. */
interface NoiseRequest extends Pick<ComparisonCriteria, 'allowDifferent'> {
  readonly gates: readonly string[] | null;
  readonly side: Side;
}

/** Measures how much runs differ by themselves, writes that into the folder, which it opens only then, and prints it. A measurement passes. */
export const publishNoise = async (
  { gates, side, allowDifferent }: NoiseRequest,
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
  const folder = await open();
  const json = `${JSON.stringify(outcome.noise)}\n`;
  const document = noiseDocument(outcome.noise);
  const markdown = markdownText(document);
  const exit = await publishOutcome(printer, printed(document, json), [
    dataIn(folder, outputFiles.noise.data, json),
    fileIn(folder, 'Markdown', outputFiles.noise.markdown, () => markdown),
  ]);
  await folder.release();
  await appendJobSummary(jobSummary, markdown, printer.warn);
  return exit;
};
