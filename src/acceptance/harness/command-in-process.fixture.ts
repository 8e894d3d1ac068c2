import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { runCommandLine } from '../../cli/command-line.ts';
import { exitCode } from '../../run/output/exit-codes.ts';

/** What a command has printed, and its exit code. */
export interface EndedCommand {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

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

/**
 * Runs a command line of Weir in this process with exactly this environment, and keeps what it prints. Only one may run
 * at a time.
 */
export const runHere = async (
  args: readonly string[],
  environment: Readonly<NodeJS.ProcessEnv>,
): Promise<EndedCommand> => {
  const [out, err] = [new KeptText(), new KeptText()];
  const restoreEnvironment = replaceEnvironment(environment);
  const restoreOutput = keepOutput(out, err);
  try {
    const exit = await runCommandLine(args);
    return { code: exitCode(exit), stdout: out.text, stderr: err.text };
  } finally {
    restoreOutput();
    restoreEnvironment();
  }
};
