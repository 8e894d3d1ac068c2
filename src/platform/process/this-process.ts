import { constants, setPriority } from 'node:os';

export const processEnvironment = (): Readonly<Record<string, string | undefined>> => process.env;

/** Returns the command that starts another process with the same Node.js and the same flags as this process. */
export const thisNode = (): readonly [string, ...string[]] => [
  process.execPath,
  ...process.execArgv,
];

/** Gives this process the lowest priority on this machine. */
export const yieldToOthers = (): void => {
  try {
    setPriority(constants.priority.PRIORITY_LOW);
  } catch {
    // The process keeps its priority if the system does not allow a lower priority.
  }
};

/** Ends this process with its exit code after `timeout` ms, unless it has already ended. */
export const endWithin = (timeout: number): void => {
  setTimeout(() => {
    // oxlint-disable-next-line unicorn/no-process-exit -- what is still open would keep the process running for ever
    process.exit();
  }, timeout).unref();
};
