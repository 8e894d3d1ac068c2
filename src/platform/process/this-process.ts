import { constants, setPriority } from 'node:os';

export const processEnvironment = (): Readonly<Record<string, string | undefined>> => process.env;

/** Returns the command that starts another process of this same Node.js, with this process's flags. */
export const thisNode = (): readonly [string, ...string[]] => [
  process.execPath,
  ...process.execArgv,
];

/** Gives this process the lowest priority on this machine. */
export const yieldToOthers = (): void => {
  try {
    setPriority(constants.priority.PRIORITY_LOW);
  } catch {
    // If the system does not allow this, the process keeps its priority.
  }
};

/** Ends this process with its exit code after `timeout` ms, unless it has already ended. */
export const endWithin = (timeout: number): void => {
  setTimeout(() => {
    // oxlint-disable-next-line unicorn/no-process-exit -- what is still open then would keep the process for ever
    process.exit();
  }, timeout).unref();
};
