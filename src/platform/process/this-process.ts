import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { createInterface } from 'node:readline';

/** The environment variables of this process. */
export const processEnvironment = (): Readonly<Record<string, string | undefined>> => process.env;

/** The command that runs this same Node.js, with the flags of this process. */
export const thisNode = (): readonly [string, ...string[]] => [
  process.execPath,
  ...process.execArgv,
];

/** This process's end of the pipe through which `startChildProcess` started it. */
export interface ParentPipe {
  /** The first line of the parent; `null` where the pipe closes before one. */
  readonly firstLine: Promise<string | null>;
  /** Calls the listener with each line after the first. */
  onLine(listener: (line: string) => void): void;
  /** Prints a line, which the parent reads. */
  print(line: string): void;
  /** Resolves when the parent closes the pipe, or has died. */
  readonly closed: Promise<void>;
  /** Stops reading, so that this process can end. */
  close(): void;
}

export const openParentPipe = (): ParentPipe => {
  const input = createInterface({ input: process.stdin });
  const closed = once(input, 'close').then(() => undefined);
  return {
    firstLine: Promise.race([
      once(input, 'line').then(([line]) => String(line)),
      closed.then(() => null),
    ]),
    onLine: (listener) => void input.on('line', listener),
    print: (line) => void process.stdout.write(`${line}\n`),
    closed,
    close: () => {
      process.stdin.destroy();
    },
  };
};

/** Lets everything else on this machine go first. */
export const yieldToOthers = (): void => {
  try {
    setPriority(constants.priority.PRIORITY_LOW);
  } catch {
    // A system that does not allow it shares its processors as usual.
  }
};

/** Ends this process with its exit code after `timeout` ms, if it has not ended by itself. */
export const endWithin = (timeout: number): void => {
  setTimeout(() => {
    // oxlint-disable-next-line unicorn/no-process-exit -- what is still open then would keep the process for ever
    process.exit();
  }, timeout).unref();
};
