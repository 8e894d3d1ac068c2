import { once } from 'node:events';
import { createInterface } from 'node:readline';

export const openParentPipe = () => {
  const input = createInterface({ input: process.stdin });
  const closed = once(input, 'close').then(() => undefined);
  return {
    // Resolves with `null` if the pipe closes before the first line.
    firstLine: Promise.race([
      once(input, 'line').then(([line]) => String(line)),
      closed.then(() => null),
    ]),
    /** Calls the listener with each line after the first line. */
    onLine: (listener: (line: string) => void) => void input.on('line', listener),
    print: (line: string) => void process.stdout.write(`${line}\n`),
    /** Resolves when the parent process has closed the pipe or has ended. */
    closed,
    /** Stops reading, so that this process can end. */
    close: () => {
      process.stdin.destroy();
    },
  };
};
