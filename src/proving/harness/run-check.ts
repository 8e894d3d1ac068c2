import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { weirCommand } from '../../bench/harness/run-weir.ts';
import type { CheckProfile } from '../../verbs/check/model/check-choices.ts';
import { type CheckReport, checkReportSchema } from '../../verbs/check/model/check-report.ts';
import { runProgram } from '../../platform/process/run-program.ts';

interface CheckRunOptions {
  readonly profile: CheckProfile;
  readonly key: string;
  /** Further options of the command line. */
  readonly words?: readonly string[];
}

/** Checks an interface by the real program, with its files in `folder`. Throws, with what it printed, if it left no report. */
export const runCheck = async (
  target: string,
  folder: string,
  { profile, key, words = [] }: CheckRunOptions,
): Promise<{ readonly code: number | null; readonly report: CheckReport }> => {
  await mkdir(folder, { recursive: true });
  const command = ['check', '--target', target, '--profile', profile, '--yes', '--out', folder];
  const { code, stderrTail } = await runProgram([...weirCommand, ...command, '--quiet', ...words], {
    ...process.env,
    WEIR_API_KEY: key,
    GITHUB_STEP_SUMMARY: '',
  });
  const path = join(folder, 'check.json');
  if (!existsSync(path)) throw new Error(`weir check left no report: ${stderrTail}`);
  return { code, report: checkReportSchema.parse(JSON.parse(await readFile(path, 'utf8'))) };
};
