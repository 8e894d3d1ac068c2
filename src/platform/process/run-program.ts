import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Runs a program to its end. Returns the exit code and the last 2,000 characters of the error output. A signal from the
 * terminal reaches both this process and the program.
 */
export const runProgram = async (
  [program, ...parameters]: readonly [string, ...string[]],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly code: number | null; readonly stderrTail: string }> => {
  const child = spawn(program, parameters, {
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderrTail = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderrTail = (stderrTail + text).slice(-2000);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stderrTail };
};
