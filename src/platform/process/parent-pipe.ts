import { once } from 'node:events';
import { createInterface } from 'node:readline';

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
