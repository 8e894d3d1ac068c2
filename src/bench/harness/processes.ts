import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const hasTaskset = spawnSync('taskset', ['--version']).status === 0;

/** A program and its arguments. */
export type CommandLine = readonly [string, ...string[]];

/** A command that runs on one core, or on several such as `0,1`, where `taskset` is installed. */
export const pinnedTo = (cores: number | string, command: CommandLine): CommandLine =>
  hasTaskset ? ['taskset', '-c', String(cores), ...command] : command;

/** Runs a command to its end and returns its standard output. Throws if it fails. */
export const runToEnd = async ([program, ...rest]: CommandLine): Promise<string> =>
  (await promisify(execFile)(program, rest)).stdout;

/** Runs a command to its end on one core; `cpu` has the seconds that it and its children took. Throws if it fails. */
export const runTimed = async (
  core: number,
  command: CommandLine,
): Promise<{ readonly stdout: string; readonly cpu: number }> => {
  const stdout = await runToEnd(
    pinnedTo(core, ['sh', '-c', '"$@" || exit; times', 'sh', ...command]),
  );
  // The second line of `times` is about the shell's children: `0m1.25s 0m0.70s`.
  const spans = [...stdout.matchAll(/(\d+)m([\d.]+)s/g)].slice(-2);
  const cpu = spans.reduce(
    (sum, [, minutes, rest]) => sum + Number(minutes) * 60 + Number(rest),
    0,
  );
  return { stdout, cpu };
};

/** Resident memory of a process, in bytes (Linux). */
export const memoryOf = async (pid: number | undefined): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
};

/** CPU time of a process without its children, user and system, in seconds (Linux). */
export const ownCpuOf = async (pid: number | undefined): Promise<number> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name, in brackets, may hold spaces; `utime` and `stime`, in 1/100 s, are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
};

/** The same, to the nanosecond. */
export const exactCpuOf = async (pid: number | undefined): Promise<number> => {
  const threads = await readdir(`/proc/${pid}/task`);
  const times = await Promise.all(
    threads.map((thread) =>
      // A thread may have ended meanwhile.
      readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0'),
    ),
  );
  return times.reduce((sum, time) => sum + Number.parseInt(time, 10), 0) / 1e9;
};

/** CPU time of a process and its running children, user and system, in seconds (Linux). */
export const cpuOf = async (pid: number | undefined): Promise<number> => {
  const own = await ownCpuOf(pid);
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  const others = await Promise.all((children.match(/\d+/g) ?? []).map(Number).map(cpuOf));
  return others.reduce((sum, cpu) => sum + cpu, own);
};

export const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

/** Kills a process and waits until it is gone. */
export const endProcess = async (child: ChildProcess): Promise<void> => {
  if (hasEnded(child)) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
};

/**
 * Starts a file, given by its path below `src`, on one core and waits for its first line. `options` are its
 * first line of standard input, as JSON; `flags` are Node's. Leaving the scope of `await using` kills it.
 */
export const startPinned = async (
  core: number,
  [file, ...rest]: CommandLine,
  options: unknown,
  flags: readonly string[] = [],
) => {
  const path = fileURLToPath(new URL(`../../${file}`, import.meta.url));
  const [program, ...words] = pinnedTo(core, [process.execPath, ...flags, path, ...rest]);
  const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  // A child that has ended shows by the end of its lines.
  child.stdin.on('error', () => undefined);
  /** Writes a line to its standard input. */
  const send = (line: string): void => void child.stdin.write(`${line}\n`);
  send(JSON.stringify(options));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  /** The next line that it prints. Throws if it ends instead. */
  const next = async (): Promise<string> => {
    const { done, value } = await lines.next();
    if (done === true) throw new Error(`${file} ended without the expected output`);
    return value;
  };
  const line = await next();
  return { child, line, next, send, [Symbol.asyncDispose]: () => endProcess(child) };
};

/** Runs such a file until it prints its one line of JSON, and returns that. */
export const runPinned = async <Output>(
  core: number,
  file: string,
  options: unknown,
  flags: readonly string[] = [],
): Promise<Output> => {
  await using child = await startPinned(core, [file], options, flags);
  return JSON.parse(child.line) as Output;
};
