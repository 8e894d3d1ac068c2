import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ChildProcessHandle, errorLine, startChildProcess } from '../process/child-process.ts';

/** The canary's emitter, started for one run. */
export interface CanaryEmitter extends Pick<ChildProcessHandle, 'ended' | 'stop'> {
  readonly port: number;
}

/** It takes some 50 ms; a run may wait this long (ms), and goes on without. */
const startTimeout = 5000;

const program = fileURLToPath(
  new URL(`./emitter${extname(import.meta.filename)}`, import.meta.url),
);

/** Starts it, or says why there is none. */
export const startCanaryEmitter = async (
  command: readonly [string, ...string[]] = [process.execPath, '--single-threaded-gc', program],
): Promise<CanaryEmitter | string> => {
  const started = await startChildProcess(command, '', startTimeout).catch((error: unknown) => ({
    ok: false as const,
    // Node throws where it has no descriptor left for a pipe.
    reason: String(error),
  }));
  if (!started.ok) return errorLine(started.reason) ?? started.reason;
  const { line, ended, stop } = started;
  if (/^[1-9]\d{0,4}$/.test(line)) return { port: Number(line), ended, stop };
  await stop();
  return `it said ${JSON.stringify(line)} where its port was expected`;
};
