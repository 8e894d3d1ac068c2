import { redactor } from '../model/plan/secret.ts';
import { noDescriptorsReason } from '../platform/no-descriptors.ts';
import { weirVersion } from '../platform/host/machine.ts';
import { Problem } from '../platform/problem.ts';
import { toStderr, toStdout } from '../platform/standard-streams.ts';
import { StoppedBeforeLoad } from '../run/input/follow-stops.ts';
import { type ExitName, exitOfStop } from '../run/output/exit-codes.ts';
import { UsageProblem } from './options/define-verb.ts';

/**
 * Returns the values of environment variables whose names suggest a secret. These values are masked in messages about
 * unexpected errors.
 */
const likelySecrets = (): readonly string[] =>
  Object.entries(process.env).flatMap(([name, value]) =>
    value !== undefined && /KEY|TOKEN|SECRET|PASSWORD|_HEADERS/.test(name) ? [value] : [],
  );

export const reportError = (error: unknown): ExitName => {
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
    // A message that starts with a file position gets no prefix, since editors and CI look for a position at the start
    // of a line.
    toStderr(/\n|^\S+:\d+:\d+: /.test(message) ? message : `weir: ${message}`);
    return 'configuration';
  }
  const reason = noDescriptorsReason(error);
  if (reason !== null) {
    toStderr(`weir: ${reason}: expected at least 64; raise it with \`ulimit -n 1024\``);
    return 'configuration';
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  toStderr(
    `weir ${weirVersion()}: a bug in Weir; please report it with the text below.\n${redactor(likelySecrets())(text)}`,
  );
  return 'internal';
};

/**
 * Runs a command line. The verbs and the command-line parser are loaded only if the command line is not just
 * `--version`.
 */
const answer = async (words: readonly string[]): Promise<ExitName> => {
  if (words.length === 1 && words[0] === '--version') {
    toStdout(weirVersion());
    return 'pass';
  }
  const { program } = await import('./program.ts');
  return program(words);
};

/**
 * Runs a command line and returns the name of the exit. If an error is thrown, prints the error and returns the exit
 * for this error.
 */
export const runCommandLine = (words: readonly string[]): Promise<ExitName> =>
  answer(words).catch(reportError);
