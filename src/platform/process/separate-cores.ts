import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Returns the cores that a list of the kernel names, for example "0-2,8". */
export const coresIn = (list: string): readonly number[] =>
  list.split(',').flatMap((part) => {
    const [first = Number.NaN, last = first] = part.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });

const allowedCores = async (): Promise<readonly number[]> => {
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '');
  const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1];
  return list === undefined ? [] : coresIn(list);
};

/**
 * Returns whether this machine can keep processes on different cores: Linux with `/proc`, `taskset` and at least two
 * cores.
 */
export const canSeparateCores = async (): Promise<boolean> =>
  (await allowedCores()).length > 1 &&
  (await promisify(execFile)('taskset', ['-p', String(process.pid)]).then(
    () => true,
    () => false,
  ));

/** Binds the main thread of a process, and all threads and processes that it starts later, to some cores. */
const bind = async (pid: number, cores: readonly number[]): Promise<void> => {
  // If `taskset` is missing or the process has ended, the binding does not change.
  await promisify(execFile)('taskset', ['-cp', cores.join(','), String(pid)]).catch(
    () => undefined,
  );
};

/**
 * Keeps this process, which runs `threads` event loops, and the processes in `beside` on different cores. Otherwise,
 * Linux often wakes a thread on the core of the thread that has written to it. The woken thread then waits until the
 * writing thread sleeps, even if another core is idle. The returned function removes the binding of this process. This
 * function does nothing without enough cores or without `taskset`.
 */
export const separateCores = async (
  threads: number,
  beside: readonly (number | null)[],
): Promise<() => Promise<void>> => {
  const others = beside.filter((pid) => pid !== null);
  const cores = others.length === 0 ? [] : await allowedCores();
  const [first, ...own] = cores;
  if (first === undefined || own.length < threads) return () => Promise.resolve();
  await Promise.all([bind(process.pid, own), ...others.map((pid) => bind(pid, [first]))]);
  return () => bind(process.pid, cores);
};
