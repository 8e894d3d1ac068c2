import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { resultSchema, type Result } from '../../model/result/result.ts';
import { pinnedTo, endProcess } from './pinned-processes.ts';
import { benchApiKey } from './small-chat.ts';

/** Whole runs of the real program, as users make them: reading, recording, checkpoint and all. */

const launcher = fileURLToPath(new URL('../../cli/weir.js', import.meta.url));

/** Node's flags in the launcher's first line: what the shell starts `weir` with. */
const [firstLine = ''] = readFileSync(launcher, 'utf8').split('\n', 1);
export const launcherFlags: readonly string[] = firstLine.match(/--\S+/g) ?? [];

/** The program as the shell starts it. */
export const weirCommand = [process.execPath, ...launcherFlags, launcher] as const;

export interface WeirRun {
  readonly child: ChildProcess;
  /** Resolves with its exit code. */
  readonly ended: Promise<number | null>;
  /** The result that it wrote, once it has ended; throws where there is none. */
  result(): Promise<Result>;
  /** Ends it, if it goes on, and removes its files. */
  stop(): Promise<void>;
}

/** Starts `weir run` on the second core; a scenario without a `target` has the embedded gateway. */
export const startWeirRun = async (scenario: object): Promise<WeirRun> => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-bench-'));
  const file = join(folder, 'scenario.json');
  await writeFile(file, JSON.stringify(scenario));
  const words = ['run', file, '--out', folder, '--no-history', '--quiet'];
  const [program, ...rest] = pinnedTo(1, [...weirCommand, ...words]);
  const env = { ...process.env, WEIR_API_KEY: benchApiKey, GITHUB_STEP_SUMMARY: '' };
  const child = spawn(program, rest, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return {
    child,
    ended,
    result: async () => {
      await ended;
      return resultSchema.parse(JSON.parse(await readFile(join(folder, 'result.json'), 'utf8')));
    },
    stop: async () => {
      await endProcess(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
};

/**
 * Runs a scenario to its end and returns its result. Throws where there is none; a run that was not
 * valid has one, and what it says of itself is not asked.
 */
export const runWeir = async (scenario: object): Promise<Result> => {
  const run = await startWeirRun(scenario);
  try {
    return await run.result();
  } finally {
    await run.stop();
  }
};

/** What benches of streams ask; `differing` is their load, their target and whatever else is theirs. */
export const streamScenario = (changes: object): object => ({
  name: 'bench',
  warmUp: '0s',
  wire: { proxy: 'none' },
  traffic: [{ kind: 'chat-stream', model: 'weir/small', prompt: 'hello there' }],
  ...changes,
});
