import { redactor } from '../model/plan/secret.ts';
import { weirVersion } from '../platform/host/machine.ts';
import { Problem } from '../platform/problem.ts';
import { exitCode, type ExitName } from '../run/output/exit-codes.ts';
import { UsageProblem } from './options/define-verb.ts';
import { program } from './program.ts';
import { toStderr } from '../platform/standard-streams.ts';

/** Values of environment variables whose names suggest a secret, for messages of unexpected errors. */
const likelySecrets = (): readonly string[] =>
  Object.entries(process.env).flatMap(([name, value]) =>
    value !== undefined && /KEY|TOKEN|SECRET|PASSWORD|_HEADERS/.test(name) ? [value] : [],
  );

const reportError = (error: unknown): ExitName => {
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

// A reader that closes the pipe early (`weir … 2>&1 | head`) is no error.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

// Bugs in callbacks of sockets and timers: nothing measured after one can be trusted.
process.on('uncaughtException', (defect) => {
  process.exit(exitCode(reportError(defect)));
});

process.exitCode = exitCode(await program(process.argv.slice(2)).catch(reportError));
