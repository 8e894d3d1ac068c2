import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TransportName } from '../model/exchange.ts';
import { resultSchema, type Result } from '../model/result.ts';
import { endProcess, wordsOn } from './processes.ts';

/** Whole runs of the real program, as users make them: reading, recording, checkpoint and all. */

/** The fields of a scenario that differ from bench to bench. */
export interface BenchScenario {
  readonly load: Readonly<Record<string, unknown>>;
  readonly transport?: TransportName;
  readonly [field: string]: unknown;
}

export interface WeirRun {
  readonly child: ChildProcess;
  /** Where it leaves its result. */
  readonly folder: string;
  /** Resolves with its exit code. */
  readonly ended: Promise<number | null>;
  /** Ends it, if it goes on, and removes its files. */
  stop(): Promise<void>;
}

/** Node's flags in the launcher's first line: what the shell starts `weir` with. */
export const launcherFlags = async (): Promise<readonly string[]> => {
  const text = await readFile(new URL('../cli/weir.js', import.meta.url), 'utf8');
  return text.slice(0, text.indexOf('\n')).match(/--\S+/g) ?? [];
};

/** Starts `weir run` on the second core; without a `target` it starts the embedded gateway. */
export const startWeirRun = async (
  scenario: BenchScenario,
  target: string | null,
): Promise<WeirRun> => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-bench-'));
  const path = join(folder, 'scenario.json');
  const common = { name: 'bench', warmUp: '0s', wire: { proxy: 'none' } };
  const traffic = [{ kind: 'chat-stream', model: 'weir/small', prompt: 'hello there' }];
  await writeFile(path, JSON.stringify({ ...common, traffic, ...scenario }));
  const words = ['run', path, '--out', folder, '--quiet'];
  const to = target === null ? [] : ['--target', target];
  const [program, ...rest] = wordsOn(1, ['../cli/weir.js', ...words, ...to], await launcherFlags());
  const child = spawn(program, rest, {
    env: {
      ...process.env,
      WEIR_API_KEY: 'sk-weir-test',
      WEIR_HISTORY: 'off',
      GITHUB_STEP_SUMMARY: '',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return {
    child,
    folder,
    ended,
    stop: async () => {
      await endProcess(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
};

/**
 * Runs a scenario to its end and returns the result that it wrote. Throws where it wrote none; a run
 * that was not valid has one, and what it says of itself is not asked.
 */
export const resultOfRun = async (scenario: BenchScenario, target: string): Promise<Result> => {
  const run = await startWeirRun(scenario, target);
  try {
    await run.ended;
    const text = await readFile(join(run.folder, 'result.json'), 'utf8');
    return resultSchema.parse(JSON.parse(text));
  } finally {
    await run.stop();
  }
};
