import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const hasTaskset = spawnSync('taskset', ['--version']).status === 0;

/** A program and its words. */
export type Words = readonly [string, ...string[]];

/** The words of a program on one core, where `taskset` can do that. */
export const boundTo = (core: number, words: Words): Words =>
  hasTaskset ? ['taskset', '-c', String(core), ...words] : words;

/** How a program ended, and what it said on its standard output. */
export interface Ended {
  readonly code: number | null;
  readonly said: string;
}

/** Runs a program to its end, on one core or, for `null`, on any; what it complains about is seen. */
export const runOn = async (core: number | null, words: Words): Promise<Ended> => {
  const [program, ...rest] = core === null ? words : boundTo(core, words);
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, said };
};

/** Resident memory of a process now, in bytes (Linux). */
export const memoryOf = async (pid: number | undefined): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
};

/** Ends a process and waits until it is gone. */
export const endProcess = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
};

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
 * Starts a file of this folder's neighbourhood on one core and waits for its first line. `input` is its
 * first line of standard input, which stays open; `flags` are Node's.
 */
export const startOn = async (
  core: number,
  [file, ...words]: Words,
  { input, flags = [] }: { readonly input: string; readonly flags?: readonly string[] },
): Promise<Bound> => {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const [program, ...rest] = boundTo(core, [process.execPath, ...flags, path, ...words]);
  const child = spawn(program, rest, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.write(`${input}\n`);
  const lines = createInterface({ input: child.stdout });
  const [line] = (await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(() => {
      throw new Error(`${file} ended before it was ready`);
    }),
  ])) as [string];
  return { child, line, memory: () => memoryOf(child.pid), stop: () => endProcess(child) };
};
