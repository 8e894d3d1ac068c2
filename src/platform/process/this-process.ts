import { once } from 'node:events';
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
    closed,
    close: () => {
      process.stdin.destroy();
    },
  };
};

/** Ends this process with its exit code after `timeout` ms, if it has not ended by itself. */
export const endWithin = (timeout: number): void => {
  setTimeout(() => {
    // oxlint-disable-next-line unicorn/no-process-exit -- what is still open then would keep the process for ever
    process.exit();
  }, timeout).unref();
};
