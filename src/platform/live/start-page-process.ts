import { fileURLToPath } from 'node:url';
import { Problem } from '../problem.ts';
import { type ChildProcessHandle, startChildProcess } from '../process/child-process.ts';

/**
 * The maximum time for the process to start, in ms. During the start, the process loads all code that renders reports.
 */
const startTimeout = 20_000;

/** Flags of Node that make the garbage collector and the compiler run in the main thread, which has a low priority. */
const nodeFlags = ['--single-threaded', '--max-semi-space-size=4'] as const;

/**
 * Starts the program at `entry` and sends `setup` as the first line of its input. Resolves when the program has printed
 * its first line; throws a `Problem` if the program does not start.
 */
export const startPageProcess = async (entry: URL, setup: object): Promise<ChildProcessHandle> => {
  const command = [process.execPath, ...nodeFlags, fileURLToPath(entry)] as const;
  const started = await startChildProcess(command, `${JSON.stringify(setup)}\n`, startTimeout);
  if (started.ok) return started;
  throw new Problem(`--live: the live page could not be started: ${started.reason}`);
};
