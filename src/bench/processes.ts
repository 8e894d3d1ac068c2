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

/** A program and its words; of Node's, a file of this folder's neighbourhood. */
type Program = readonly [string, ...string[]];

const boundTo = (core: number, words: Program): Program =>
  hasTaskset ? ['taskset', '-c', String(core), ...words] : words;

/** How a program ended, and what it said on its standard output. */
export interface Ended {
  readonly code: number | null;
  readonly said: string;
}

/** Runs any program to its end, on one core or, for `null`, on any; what it complains about is seen. */
export const runOn = async (core: number | null, words: Program): Promise<Ended> => {
  const [program, ...rest] = core === null ? words : boundTo(core, words);
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, said };
};

/** The words that run a file by Node on one core, where `taskset` can do that; `flags` are Node's. */
export const wordsOn = (
  core: number,
  [file, ...words]: Program,
  flags: readonly string[] = [],
): Program =>
  boundTo(core, [
    process.execPath,
    ...flags,
    fileURLToPath(new URL(file, import.meta.url)),
    ...words,
  ]);

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

/**
 * Starts a program on one core and waits for its first line. `input` is its first line of standard
 * input, which stays open; `flags` are Node's.
 */
export const startOn = async (
  core: number,
  [file, ...words]: Program,
  { input, flags = [] }: { readonly input: string; readonly flags?: readonly string[] },
): Promise<Bound> => {
  const [program, ...rest] = wordsOn(core, [file, ...words], flags);
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
