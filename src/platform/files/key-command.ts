import { exec } from 'node:child_process';
import { UnusableKey } from '../problem.ts';

/** The timeout of a command, in ms. A login command that takes longer is probably waiting for a person. */
const commandTimeout = 30_000;
/** The maximum output of a command, in characters. No key is that long. */
const maxOutput = 64 * 1024;

/**
 * Returns why a command gave no key. The reason does not quote the command's output, since the output may contain a
 * part of a key.
 */
const whyFailed = ({ code, killed, signal }: NonNullable<Parameters<Ended>[0]>): string => {
  if (killed) return `was ended after ${commandTimeout / 1000} s or ${maxOutput} characters`;
  return signal === null || signal === undefined ? `ended with ${code}` : `was ended by ${signal}`;
};
type Ended = NonNullable<Parameters<typeof exec>[2]>;

/**
 * Runs a command in a shell, and returns the key that the command prints, without surrounding blanks. Throws a
 * `Problem` if the command prints no key. Weir never shows the output of the command.
 */
export const runKeyCommand = (
  command: string,
  environment: Readonly<Record<string, string | undefined>>,
  folder: string,
): Promise<string> =>
  new Promise((resolve, reject) => {
    const fail = (reason: string): void =>
      reject(
        new UnusableKey(`the command for a key ${reason}: run it yourself to see why: ${command}`),
      );
    const options = {
      cwd: folder,
      env: environment,
      timeout: commandTimeout,
      maxBuffer: maxOutput,
      windowsHide: true,
    };
    const child = exec(command, options, (error, stdout) => {
      const key = stdout.trim();
      if (error !== null) fail(whyFailed(error));
      else if (key === '') fail('printed nothing');
      else if (!/^[\x21-\x7e]+$/.test(key)) fail('printed more than one word of ASCII text');
      else resolve(key);
    });
    // The input is closed, so a command that asks a question does not wait for an answer.
    child.stdin?.end();
  });
