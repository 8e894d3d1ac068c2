import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ChildProcessHandle, errorLine, startChildProcess } from '../process/child-process.ts';

/** A process that sends self-test streams, started for one run. */
export interface CanaryEmitter extends Pick<ChildProcessHandle, 'pid' | 'ended' | 'stop'> {
  readonly port: number;
}

/**
 * The maximum time for the emitter to start, in ms. The emitter usually starts within about 50 ms. After this maximum,
 * a run continues without self-test streams.
 */
const startTimeout = 5000;

const program = fileURLToPath(
  new URL(`./emitter${extname(import.meta.filename)}`, import.meta.url),
);

/** Starts the emitter, or returns the reason why the emitter did not start. */
export const startCanaryEmitter = async (
  command: readonly [string, ...string[]] = [process.execPath, '--single-threaded-gc', program],
): Promise<CanaryEmitter | string> => {
  const started = await startChildProcess(command, '', startTimeout).catch((error: unknown) => ({
    ok: false as const,
    // Node throws this error if no file descriptor is left for a pipe.
    reason: String(error),
  }));
  if (!started.ok) return errorLine(started.reason) ?? started.reason;
  const { line, pid, ended, stop } = started;
  if (/^[1-9]\d{0,4}$/.test(line)) return { port: Number(line), pid, ended, stop };
  await stop();
  return `expected its port, got ${JSON.stringify(line)}`;
};
