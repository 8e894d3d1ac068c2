import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { noDescriptorsReason } from '../no-descriptors.ts';

/** The environment variables that a child process gets. None of these variables contains a key or another secret. */
const passedOn =
  /^(?:PATH|HOME|TMPDIR|TEMP|TMP|LANG|LC_\w+|TZ|NODE_(?:OPTIONS|EXTRA_CA_CERTS|COMPILE_CACHE|V8_COVERAGE)|SYSTEMROOT)$/i;

/** A child process that always ends when this process ends. */
export interface ChildProcessHandle {
  readonly ok: true;
  readonly pid: number | null;
  /** The first line that the process printed. The line means that the process is ready. */
  readonly line: string;
  /** Adds a listener for each line that the process prints after the first line. */
  readonly onLine: (listener: (line: string) => void) => void;
  /** Writes to the process's standard input. If the process has ended, the text is lost. */
  readonly write: (text: string) => void;
  /**
   * Returns the number of bytes for the process's input that are still buffered here and not yet sent to the process.
   */
  readonly backlog: () => number;
  /** Returns a line that says how the process ended; `null` while the process runs, and after `stop` was called. */
  readonly ended: () => string | null;
  /** Ends the process and waits until it has ended. */
  readonly stop: () => Promise<void>;
}

/** The maximum time for a process to end by itself, in ms. */
const stopGrace = 4000;

const hasExited = (child: ChildProcess): boolean =>
  child.exitCode !== null || child.signalCode !== null;

/** Returns the line of a program's error output that names the error. */
export const errorLine = (stderr: string): string | undefined =>
  stderr.split('\n').find((line) => /^\S*\s?error\b/i.test(line));

/**
 * Returns how a process ended: its status or signal, and the error line of its error output; `null` while the process
 * runs.
 */
const endingOf = (child: ChildProcess, stderr: string): string | null => {
  if (!hasExited(child)) return null;
  const status = child.signalCode ?? `exit status ${child.exitCode}`;
  const error = errorLine(stderr);
  return error === undefined ? status : `${status}: ${error}`;
};

const end = async (child: ChildProcess): Promise<void> => {
  if (hasExited(child)) return;
  const exited = once(child, 'exit');
  child.stdin?.end();
  const killTimer = setTimeout(() => child.kill('SIGKILL'), stopGrace);
  await exited;
  clearTimeout(killTimer);
};

/**
 * Starts `command` (a Node executable and its arguments), writes `input` to the child's standard input, and waits for
 * the child's first line, at most `timeout` ms if given. The child's input stays open until `stop` is called or this
 * process ends, for whatever reason. The child must end when its input ends.
 */
export const startChildProcess = async (
  [executable, ...parameters]: readonly [string, ...string[]],
  input: string,
  timeout?: number,
): Promise<ChildProcessHandle | { readonly ok: false; readonly reason: string }> => {
  const child = spawn(executable, parameters, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => passedOn.test(name))),
  });
  // If no file descriptor is left, `child.stderr` is undefined, although its type says that the stream always exists.
  if ((child.stderr as unknown) === undefined) {
    const [error] = await once(child, 'error').catch((failure: unknown) => [failure]);
    return { ok: false, reason: noDescriptorsReason(error) ?? String(error) };
  }
  let stderrTail = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderrTail = (stderrTail + text).slice(-2000);
  });
  child.stdin.on('error', () => undefined);
  child.stdin.write(input);

  const lines = createInterface({ input: child.stdout });
  const startTimer =
    timeout === undefined
      ? undefined
      : setTimeout(() => {
          stderrTail += `it was not ready after ${timeout / 1000} s`;
          child.kill('SIGKILL');
        }, timeout);
  // This listener is added before all other listeners, since the other listeners would turn the error into a rejection.
  const failed = new Promise<null>((resolve) => {
    child.once('error', (error) => {
      stderrTail += noDescriptorsReason(error) ?? String(error);
      resolve(null);
    });
  });
  const line = await Promise.race([
    failed,
    once(lines, 'line').then(([first]) => String(first)),
    new Promise<null>((resolve) => child.once('exit', () => resolve(null))),
  ]);
  clearTimeout(startTimer);
  if (line === null) return { ok: false, reason: stderrTail.trim() || 'no reason given' };
  let isStopping = false;
  return {
    ok: true,
    pid: child.pid ?? null,
    line,
    onLine: (listener) => void lines.on('line', listener),
    write: (text) => {
      if (child.stdin.writable) child.stdin.write(text);
    },
    backlog: () => child.stdin.writableLength,
    ended: () => (isStopping ? null : endingOf(child, stderrTail)),
    stop: () => {
      isStopping = true;
      return end(child);
    },
  };
};
