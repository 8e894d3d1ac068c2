import { whyUnwritable } from '../platform/files/file-error-reasons.ts';
import { endWithin } from '../platform/process/this-process.ts';
import { toStderr } from '../platform/standard-streams.ts';
import { exitCode, gravestExit } from '../run/output/exit-codes.ts';
import { reportError, runCommandLine } from './command-line.ts';

/** The longest time in ms by which open handles may delay the end of the process. */
const endTimeout = 5000;

let outputFailure: string | null = null;

const main = async (): Promise<void> => {
  // If the process ends because nothing is left to wait for, the command has not finished. That is a defect, so the
  // exit code must mean failure.
  process.exitCode = exitCode('internal');
  let exit = await runCommandLine(process.argv.slice(2));
  // An output reports its failure one turn of the event loop later.
  await new Promise<void>((resolve) => process.stdout.write('', () => resolve()));
  if (outputFailure !== null) {
    toStderr(`weir: the standard output cannot be written: ${outputFailure}`);
    exit = gravestExit([exit, 'unwritten']);
  }
  process.exitCode = exitCode(exit);
  endWithin(endTimeout);
};

// It is no error if a reader closes the pipe early (`weir … 2>&1 | head`).
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') outputFailure ??= whyUnwritable(error);
});
// If messages cannot be written, no other place can report that.
process.stderr.on('error', () => undefined);

// An uncaught exception is a bug in a callback of a socket or timer. No measurement can be trusted after it.
process.on('uncaughtException', (defect) => {
  try {
    reportError(defect);
  } finally {
    process.exit(exitCode('internal'));
  }
});

await main();
