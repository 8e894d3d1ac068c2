import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const hasTaskset = spawnSync('taskset', ['--version']).status === 0;

/** A process of a bench and the first line that it printed. */
export interface Bound {
  readonly child: ChildProcess;
  readonly line: string;
  /** Resident memory now, in bytes (Linux). */
  memory(): Promise<number>;
  /** Ends it and waits until it is gone. */
  stop(): Promise<void>;
}

/**
 * Starts a file of this folder's neighbourhood on one core, where `taskset` can do that, and waits for
 * its first line. `input` is its first line of standard input, which stays open; `flags` are Node's.
 */
export const startOn = async (
  core: number,
  [file, ...words]: readonly [string, ...string[]],
  { input, flags = [] }: { readonly input: string; readonly flags?: readonly string[] },
): Promise<Bound> => {
  const node = [
    process.execPath,
    ...flags,
    fileURLToPath(new URL(file, import.meta.url)),
    ...words,
  ];
  const [program = '', ...rest] = hasTaskset ? ['taskset', '-c', String(core), ...node] : node;
  const child = spawn(program, rest, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.write(`${input}\n`);
  const lines = createInterface({ input: child.stdout });
  const [line] = (await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(() => {
      throw new Error(`${file} ended before it was ready`);
    }),
  ])) as [string];
  return {
    child,
    line,
    memory: async () => {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
};
