import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** The processors in a list as the kernel writes it, for example "0-2,8". */
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

/** Binds the main thread of a process, and what it starts from then on, to some processors. */
const bind = async (pid: number, cores: readonly number[]): Promise<void> => {
  // Without `taskset`, or for a process that has ended: everything runs where the system lets it.
  await promisify(execFile)('taskset', ['-cp', cores.join(','), String(pid)]).catch(
    () => undefined,
  );
};

/**
 * Keeps this process, which runs `threads` event loops, and those beside it on different processors: Linux wakes a reader
 * where its writer runs, also if another processor is idle, and what arrives then waits until the writer sleeps. The
 * returned function ends that for this process. Does nothing where there are not enough processors, or no `taskset`.
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
