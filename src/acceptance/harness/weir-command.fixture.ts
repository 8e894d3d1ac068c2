import { Console } from 'node:console';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { runCommandLine } from '../../cli/command-line.ts';
import { exitCode } from '../../run/output/exit-codes.ts';
import { type FinishedProgram, weirEnvironment } from './weir-process.fixture.ts';

/** Runs command lines in this process, one at a time: they share its environment and its output. */

/** Keeps what is written to it. */
class KeptText extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

/** Sets the variables of this process; the returned function restores those that it had. */
const replaceEnvironment = (variables: Readonly<NodeJS.ProcessEnv>): (() => void) => {
  const before = { ...process.env };
  const set = (wanted: Readonly<NodeJS.ProcessEnv>): void => {
    for (const name of Object.keys(process.env)) {
      if (wanted[name] === undefined) delete process.env[name];
    }
    Object.assign(process.env, wanted);
  };
  set(variables);
  return () => set(before);
};

/** Sends what this process prints into two texts, until the returned function is called. */
const keepOutput = (out: KeptText, err: KeptText): (() => void) => {
  const { stdout, stderr } = process;
  const { console } = globalThis;
  Object.defineProperty(process, 'stdout', { configurable: true, get: () => out });
  Object.defineProperty(process, 'stderr', { configurable: true, get: () => err });
  globalThis.console = new Console(out, err);
  return () => {
    Object.defineProperty(process, 'stdout', { configurable: true, get: () => stdout });
    Object.defineProperty(process, 'stderr', { configurable: true, get: () => stderr });
    globalThis.console = console;
  };
};

/** Where the launcher lets Node keep compiled code, for the processes that a command starts. */
const compileCache = join(tmpdir(), 'node-compile-cache');

const runNow = async (
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<FinishedProgram> => {
  const [out, err] = [new KeptText(), new KeptText()];
  const restoreEnvironment = replaceEnvironment({
    NODE_COMPILE_CACHE: compileCache,
    ...weirEnvironment(environment),
  });
  const restoreOutput = keepOutput(out, err);
  try {
    const exit = await runCommandLine(args);
    return { code: exitCode(exit), stdout: out.text, stderr: err.text };
  } finally {
    restoreOutput();
    restoreEnvironment();
  }
};

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
  const finished = last.then(() => runNow(args, environment));
  last = finished.catch(() => undefined);
  return finished;
};
