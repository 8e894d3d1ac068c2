import { whyUnwritable } from '../platform/files/file-error-reasons.ts';
import { endWithin } from '../platform/process/this-process.ts';
import { toStderr } from '../platform/standard-streams.ts';
import { exitCode, gravestExit } from '../run/output/exit-codes.ts';
import { reportError, runCommandLine } from './command-line.ts';

/** After the command has finished, open handles delay the end of the process by at most this many ms. */
const endTimeout = 5000;

let outputFailure: string | null = null;

const main = async (): Promise<void> => {
  // Node ends the process when nothing is left to wait for. If this happens before the command has finished, Weir has a
  // defect, so the exit code must mean failure.
  process.exitCode = exitCode('internal');
  let exit = await runCommandLine(process.argv.slice(2));
  // A failed write to standard output is reported one turn of the event loop later. Waiting for an empty write leaves
  // time for this report.
  await new Promise<void>((resolve) => process.stdout.write('', () => resolve()));
  if (outputFailure !== null) {
    toStderr(`weir: the standard output cannot be written: ${outputFailure}`);
    exit = gravestExit([exit, 'unwritten']);
  }
  process.exitCode = exitCode(exit);
  endWithin(endTimeout);
};

// A reader that closes the pipe early (`weir … 2>&1 | head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') outputFailure ??= whyUnwritable(error);
});
// Failures of standard error are ignored, since Weir has no other place for a message.
process.stderr.on('error', () => undefined);

// An uncaught exception is a bug in a callback of a socket or timer. The process ends, since no later measurement can
// be trusted.
process.on('uncaughtException', (defect) => {
  try {
    reportError(defect);
  } finally {
    process.exit(exitCode('internal'));
  }
});

await main();
