import type { Side } from '../judge/compare/repetition.ts';
import { selfNoise } from '../judge/compare/self-noise.ts';
import { overridable } from '../judge/compare/side-differences.ts';
import { wallClock } from '../platform/clock.ts';
import type { RunFolder } from '../platform/files.ts';
import { weirVersion } from '../platform/machine.ts';
import { Problem } from '../platform/problem.ts';
import { noiseMarkdown } from '../report/compare/noise-markdown.ts';
import { noiseTerminal } from '../report/compare/noise-terminal.ts';
import { type ComparisonRequest, leastRuns } from './compare-options.ts';
import type { ExitName } from './exit-codes.ts';
import { toJobPage } from './job-page.ts';
import { refusal } from './publish-comparison.ts';
import type { Telling } from './report-options.ts';
import { stdoutLook, toStderr, toStdout } from './streams.ts';

/** Runs of which nothing was changed, and how to hold them against each other. */
interface NoiseRequest extends Pick<ComparisonRequest, 'allowDifferent'> {
  readonly gates: readonly string[] | null;
  readonly side: Side;
}

/** Measures how much runs differ by themselves, writes it into the folder, which is opened only then, and tells it. A measurement passes. */
export const publishNoise = async (
  { gates, side, allowDifferent }: NoiseRequest,
  open: () => Promise<RunFolder>,
  { json, quiet }: Pick<Telling, 'json' | 'quiet'>,
): Promise<ExitName> => {
  if (side.repetitions.length < leastRuns) {
    throw new Problem(
      `--self: expected at least ${leastRuns} runs, two in each half, and ten to know the noise well; got ${side.repetitions.length}`,
    );
  }
  const found = selfNoise({
    ...{ side, gates, allowed: allowDifferent ? overridable : [] },
    ...{ weir: weirVersion(), comparedAt: wallClock() },
  });
  if (!found.ok) return refusal([side], allowDifferent, found.refusals);
  const folder = await open();
  const text = `${JSON.stringify(found.noise)}\n`;
  const data = await folder.write('noise.json', text);
  const page = noiseMarkdown(found.noise);
  const summary = await folder.write('noise.md', page);
  await toJobPage(process.env, page);
  if (json) toStdout(text);
  else if (!quiet) toStdout(noiseTerminal(found.noise, stdoutLook()));
  if (!quiet) toStderr(`Result: ${data}\nMarkdown: ${summary}`);
  return 'pass';
};
