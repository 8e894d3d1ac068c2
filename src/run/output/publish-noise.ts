import { type OutputOptions, type ComparisonCriteria, minSelfRuns } from '../input/run-request.ts';
import type { Side } from '../../judge/compare/repetition.ts';
import { selfNoise } from '../../judge/compare/self-noise.ts';
import { overridable } from '../../judge/compare/side-differences.ts';
import { wallClock } from '../../platform/host/clock.ts';
import type { RunFolder } from '../../platform/files/run-folder.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import { Problem } from '../../platform/problem.ts';
import { noiseMarkdown } from '../../report/compare/noise-markdown.ts';
import { noiseTerminal } from '../../report/compare/noise-terminal.ts';
import type { ExitName } from './exit-codes.ts';
import { appendJobSummary } from './job-summary.ts';
import { exitForRefusedComparison } from './publish-comparison.ts';
import { stdoutStyle, toStderr, toStdout } from '../../platform/standard-streams.ts';

/** Runs of which nothing was changed, and how to hold them against each other. */
interface NoiseRequest extends Pick<ComparisonCriteria, 'allowDifferent'> {
  readonly gates: readonly string[] | null;
  readonly side: Side;
}

/** Measures how much runs differ by themselves, writes it into the folder, which is opened only then, and tells it. A measurement passes. */
export const publishNoise = async (
  { gates, side, allowDifferent }: NoiseRequest,
  open: () => Promise<RunFolder>,
  { json, quiet }: Pick<OutputOptions, 'json' | 'quiet'>,
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
  if (!outcome.ok) return exitForRefusedComparison([side], allowDifferent, outcome.refusals);
  const folder = await open();
  const text = `${JSON.stringify(outcome.noise)}\n`;
  const resultPath = await folder.write('noise.json', text);
  const markdown = noiseMarkdown(outcome.noise);
  const summary = await folder.write('noise.md', markdown);
  await appendJobSummary(process.env, markdown);
  if (json) toStdout(text);
  else if (!quiet) toStdout(noiseTerminal(outcome.noise, stdoutStyle()));
  if (!quiet) toStderr(`Result: ${resultPath}\nMarkdown: ${summary}`);
  return 'pass';
};
