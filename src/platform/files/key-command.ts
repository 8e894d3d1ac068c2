import { exec } from 'node:child_process';
import { Problem } from '../problem.ts';

/** In ms: a login that takes longer waits for somebody. */
const commandTimeout = 30_000;
/** In characters: no key is longer. */
const maxOutput = 64 * 1024;

/** Returns why a command gave no key, without a word of its output, which may have a part of one. */
const whyFailed = ({ code, killed, signal }: NonNullable<Parameters<Ended>[0]>): string => {
  if (killed) return `was ended after ${commandTimeout / 1000} s or ${maxOutput} characters`;
  return signal === null || signal === undefined ? `ended with ${code}` : `was ended by ${signal}`;
};
type Ended = NonNullable<Parameters<typeof exec>[2]>;

/**
 * Runs a command in a shell and returns the key that it prints, without blanks around it. Throws a `Problem` if there is
 * none. The output is shown nowhere.
 */
export const runKeyCommand = (
  command: string,
  environment: Readonly<Record<string, string | undefined>>,
  folder: string,
): Promise<string> =>
  new Promise((resolve, reject) => {
    const fail = (reason: string): void =>
      reject(
        new Problem(`the command for a key ${reason}: run it yourself to see why: ${command}`),
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
    // A command that asks for something gets no answer.
    child.stdin?.end();
  });
