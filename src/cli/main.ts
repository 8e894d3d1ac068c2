import { redactor } from '../model/plan/secret.ts';
import { whyUnwritable } from '../platform/files/file-error-reasons.ts';
import { weirVersion } from '../platform/host/machine.ts';
import { Problem } from '../platform/problem.ts';
import { endWithin } from '../platform/process/this-process.ts';
import { StoppedBeforeLoad } from '../run/input/follow-stops.ts';
import { exitCode, type ExitName, exitOfStop, gravestExit } from '../run/output/exit-codes.ts';
import { UsageProblem } from './options/define-verb.ts';
import { toStderr, toStdout } from '../platform/standard-streams.ts';

/** Values of environment variables whose names suggest a secret, for messages of unexpected errors. */
const likelySecrets = (): readonly string[] =>
  Object.entries(process.env).flatMap(([name, value]) =>
    value !== undefined && /KEY|TOKEN|SECRET|PASSWORD|_HEADERS/.test(name) ? [value] : [],
  );

const reportError = (error: unknown): ExitName => {
  if (error instanceof StoppedBeforeLoad) {
    toStderr(`weir: ${error.message}`);
    return exitOfStop[error.stoppedBy];
  }
  if (error instanceof UsageProblem) {
    toStderr(`weir: ${error.message}\nSee \`weir --help\` or \`weir VERB --help\`.`);
    return 'configuration';
  }
  if (error instanceof Problem) {
    const { message } = error;
    // A position in a file is at the start of its line, where editors and CI look for it.
    toStderr(/\n|^\S+:\d+:\d+: /.test(message) ? message : `weir: ${message}`);
    return 'configuration';
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  toStderr(
    `weir ${weirVersion()}: a bug in Weir; please report it with the text below.\n${redactor(likelySecrets())(text)}`,
  );
  return 'internal';
};

/** Answers the shortest question before the verbs and the parser of command lines are loaded. */
const answer = async (words: readonly string[]): Promise<ExitName> => {
  if (words.length === 1 && words[0] === '--version') {
    toStdout(weirVersion());
    return 'pass';
  }
  const { program } = await import('./program.ts');
  return program(words);
};

/** How long what is still open may delay the end of the process, in ms. */
const endTimeout = 5000;

let outputFailure: string | null = null;

/** Runs the command line and sets the exit code. */
const main = async (): Promise<void> => {
  // A command that never ends although nothing is left to wait for is a defect, not a success.
  process.exitCode = exitCode('internal');
  let exit = await answer(process.argv.slice(2)).catch(reportError);
  // An output that fails says so a turn later.
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
// There is nowhere to say that messages cannot be written.
process.stderr.on('error', () => undefined);

// Bugs in callbacks of sockets and timers: nothing measured after one can be trusted.
process.on('uncaughtException', (defect) => {
  try {
    reportError(defect);
  } finally {
    process.exit(exitCode('internal'));
  }
});

await main();
