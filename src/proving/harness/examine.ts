import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { weirCommand } from '../../bench/harness/run-weir.ts';
import type { LimitReport } from '../../verbs/limits/model/limit-report.ts';
import { runProgram } from '../../platform/process/run-program.ts';
import { provingKeys } from './server-process.ts';

export interface Examination {
  /** Exit code of `weir limits`. */
  readonly code: number | null;
  readonly report: LimitReport;
  /** In ms. */
  readonly took: number;
}

/** What is declared of a limiter that is examined. */
export interface ExaminationTerms {
  readonly limit: number;
  /** In ms. */
  readonly window: number;
  /** Further words for `weir limits`. */
  readonly args: readonly string[];
}

/** Runs `weir limits` as a process against a gateway. Throws, with what it printed, if it left no report. */
export const examineGateway = async (
  url: string,
  { limit, window, args }: ExaminationTerms,
): Promise<Examination> => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'weir-proving-'));
  const words = ['limits', '--target', url, '--window', `${window}ms`, '--yes', '--quiet'];
  const declared = ['--set', `limits.requestsPerMinute=${limit}`, '--out', folder.path];
  const begun = performance.now();
  const { code, stderrTail } = await runProgram([...weirCommand, ...words, ...declared, ...args], {
    ...process.env,
    WEIR_API_KEY: provingKeys[0],
    WEIR_HISTORY: 'off',
    GITHUB_STEP_SUMMARY: '',
  });
  const took = performance.now() - begun;
  try {
    const text = await readFile(join(folder.path, 'limits.json'), 'utf8');
    return { code, took, report: JSON.parse(text) as LimitReport };
  } catch {
    throw new Error(`weir limits ended with ${code} and left no report: ${stderrTail}`);
  }
};
