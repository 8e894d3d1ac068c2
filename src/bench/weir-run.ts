import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { resultSchema, type Result } from '../model/result.ts';
import { runOn } from './processes.ts';
import { key } from './small-chat.ts';

const launcher = fileURLToPath(new URL('../cli/weir.js', import.meta.url));

/** Node and its flags as the program's first line has them, and the program. */
export const weir = [process.execPath, '--no-memory-reducer', launcher] as const;

/**
 * Runs a scenario by the real command on the second core and returns the result that it wrote. Throws
 * where it wrote none; a run that was not valid has one, and what it says of itself is not asked.
 */
export const runWeir = async (scenario: object, words: readonly string[] = []): Promise<Result> => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-bench-'));
  try {
    const [file, out] = [join(folder, 'scenario.json'), join(folder, 'out')];
    await writeFile(file, JSON.stringify(scenario));
    const run = ['run', file, '--out', out, '--no-history', '--quiet', ...words];
    await runOn(1, [...weir, ...run], { ...process.env, WEIR_API_KEY: key });
    return resultSchema.parse(JSON.parse(await readFile(join(out, 'result.json'), 'utf8')));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
