import { fileURLToPath } from 'node:url';
import { Problem } from '../problem.ts';
import { type ChildProcessHandle, startChildProcess } from '../process/child-process.ts';

/** How long the process may take to start, in ms, since it loads all code that renders reports. */
const startTimeout = 20_000;

/**
 * Flags that run the garbage collector and the compiler on the main thread, so that its low priority applies to them
 * too.
 */
const nodeFlags = ['--single-threaded', '--max-semi-space-size=4'] as const;

/** Starts the program at `entry` with `setup` as its first line, and waits for its own first line. Throws a `Problem` if it does not start. */
export const startPageProcess = async (entry: URL, setup: object): Promise<ChildProcessHandle> => {
  const command = [process.execPath, ...nodeFlags, fileURLToPath(entry)] as const;
  const started = await startChildProcess(command, `${JSON.stringify(setup)}\n`, startTimeout);
  if (started.ok) return started;
  throw new Problem(`--live: the live page could not be started: ${started.reason}`);
};
