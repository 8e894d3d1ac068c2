import { constants, setPriority } from 'node:os';

export const processEnvironment = (): Readonly<Record<string, string | undefined>> => process.env;

/** The command that runs this same Node.js, with the flags of this process. */
export const thisNode = (): readonly [string, ...string[]] => [
  process.execPath,
  ...process.execArgv,
];

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
