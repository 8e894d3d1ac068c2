import { whyUnwritable } from '../platform/files/file-error-reasons.ts';
import { endWithin } from '../platform/process/this-process.ts';
import { toStderr } from '../platform/standard-streams.ts';
import { exitCode, gravestExit } from '../run/output/exit-codes.ts';
import { reportError, runCommandLine } from './command-line.ts';

/** How long open handles may delay the end of the process, in ms. */
const endTimeout = 5000;

let outputFailure: string | null = null;

const main = async (): Promise<void> => {
  // A command is defective, not successful, if it does not end when nothing is left to wait for.
  process.exitCode = exitCode('internal');
  let exit = await runCommandLine(process.argv.slice(2));
  // An output that fails reports that one turn later.
  await new Promise<void>((resolve) => process.stdout.write('', () => resolve()));
  if (outputFailure !== null) {
    toStderr(`weir: the standard output cannot be written: ${outputFailure}`);
    exit = gravestExit([exit, 'unwritten']);
  }
  process.exitCode = exitCode(exit);
  endWithin(endTimeout);
};

// If a reader closes the pipe early (`weir … 2>&1 | head`), that is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') outputFailure ??= whyUnwritable(error);
});
// If messages cannot be written, that cannot be reported anywhere.
process.stderr.on('error', () => undefined);

// These are bugs in callbacks of sockets and timers, after which no measurement can be trusted.
process.on('uncaughtException', (defect) => {
  try {
    reportError(defect);
  } finally {
    process.exit(exitCode('internal'));
  }
});

await main();
