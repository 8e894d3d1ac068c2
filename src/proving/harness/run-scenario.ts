import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { weirCommand } from '../../bench/harness/run-weir.ts';
import { publishedResult } from '../../acceptance/harness/published-result.fixture.ts';
import type { Result } from '../../model/result/result.ts';
import { runProgram } from '../../platform/process/run-program.ts';
import { provingKeys } from './server-process.ts';

/** Runs a scenario by the real program, with its files in `folder`. Throws, with what it printed, if it left no result. */
export const runScenario = async (
  scenario: Readonly<Record<string, unknown>>,
  folder: string,
  options: readonly string[] = [],
): Promise<{ readonly code: number | null; readonly result: Result }> => {
  const file = join(folder, 'scenario.json');
  await writeFile(file, JSON.stringify({ name: 'proving', warmUp: '0s', ...scenario }));
  const words = ['run', file, '--out', folder, '--no-history', '--quiet', ...options];
  const { code, stderrTail } = await runProgram([...weirCommand, ...words], {
    ...process.env,
    WEIR_API_KEY: provingKeys[0],
    GITHUB_STEP_SUMMARY: '',
  });
  const path = join(folder, 'result.json');
  if (!existsSync(path)) throw new Error(`weir run left no result: ${stderrTail}`);
  return { code, result: publishedResult(await readFile(path, 'utf8')) };
};
