import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runHere } from './command-in-process.fixture.ts';
import { type FinishedProgram, weirEnvironment } from './weir-process.fixture.ts';

/** Runs command lines in this process, one at a time: they share its environment and its output. */

/** Where the launcher lets Node keep compiled code, for the processes that a command starts. */
const compileCache = join(tmpdir(), 'node-compile-cache');

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs `weir` with these arguments in this process, after those that were asked for before, and keeps what it
 * prints. `startWeir` starts a process instead, for tests of what only a process has: signals, a standard input,
 * flags of Node, and several at a time.
 */
export const weir = (
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<FinishedProgram> => {
  const finished = last.then(() =>
    runHere(args, { NODE_COMPILE_CACHE: compileCache, ...weirEnvironment(environment) }),
  );
  last = finished.catch(() => undefined);
  return finished;
};
