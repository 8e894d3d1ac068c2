import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const hasTaskset = spawnSync('taskset', ['--version']).status === 0;

/** A program and its words. */
export type CommandLine = readonly [string, ...string[]];

/** The words of a program on one core, where `taskset` can do that. */
export const pinnedTo = (core: number, command: CommandLine): CommandLine =>
  hasTaskset ? ['taskset', '-c', String(core), ...command] : command;

/** How a program ended, and what it said on its standard output. */
export interface FinishedProcess {
  readonly code: number | null;
  readonly stdout: string;
}

/** Runs a program to its end, on one core or, for `null`, on any; what it complains about is seen. */
export const runPinned = async (
  core: number | null,
  command: CommandLine,
): Promise<FinishedProcess> => {
  const [program, ...rest] = core === null ? command : pinnedTo(core, command);
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout };
};

/** Resident memory of a process now, in bytes (Linux). */
export const memoryOf = async (pid: number | undefined): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
};

/** Hundredths of a second are what the kernel counts in here (proc(5), `_SC_CLK_TCK`). */
const ticksPerSecond = 100;

/** CPU time of all threads of a process and of its children that go on, user and system, in seconds (Linux). */
export const cpuOf = async (pid: number | undefined): Promise<number> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name, in brackets, may hold spaces; `utime` and `stime` are the fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const own = (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  const others = await Promise.all((children.match(/\d+/g) ?? []).map(Number).map(cpuOf));
  return others.reduce((sum, cpu) => sum + cpu, own);
};

/** By itself or by a signal. */
export const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

/** Ends a process and waits until it is gone. */
export const endProcess = async (child: ChildProcess): Promise<void> => {
  if (hasEnded(child)) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
};

/** A process of a bench and the first line that it printed. */
export interface PinnedProcess {
  readonly child: ChildProcess;
  readonly line: string;
  /** The next one that it prints. Throws where it ends instead. */
  next(): Promise<string>;
  /** Resident memory now, in bytes (Linux). */
  memory(): Promise<number>;
  /** Ends it and waits until it is gone. */
  stop(): Promise<void>;
}

/**
 * Starts a file of this folder's neighbourhood on one core and waits for its first line. `input` is its
 * first line of standard input, which stays open; `flags` are Node's.
 */
export const startPinned = async (
  core: number,
  [file, ...command]: CommandLine,
  { input, flags = [] }: { readonly input: string; readonly flags?: readonly string[] },
): Promise<PinnedProcess> => {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const [program, ...rest] = pinnedTo(core, [process.execPath, ...flags, path, ...command]);
  const child = spawn(program, rest, { stdio: ['pipe', 'pipe', 'inherit'] });
  // That it ended is told by its lines, which end too.
  child.stdin.on('error', () => undefined);
  child.stdin.write(`${input}\n`);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    const { done, value } = await lines.next();
    if (done === true) throw new Error(`${file} ended where a line of it was expected`);
    return value;
  };
  const stop = (): Promise<void> => endProcess(child);
  return { child, line: await next(), next, memory: () => memoryOf(child.pid), stop };
};
