import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Attendant, errorLine, startAttendant } from '../attendant.ts';

/** The canary's emitter, started for one run. */
export interface CanaryEmitter extends Pick<Attendant, 'ended' | 'stop'> {
  readonly port: number;
}

/** It takes some 50 ms; a run may wait this long (ms), and goes on without. */
const patience = 5000;

const program = fileURLToPath(
  new URL(`./emitter${extname(import.meta.filename)}`, import.meta.url),
);

/** Starts it, or says why there is none. */
export const startEmitter = async (
  command: readonly [string, ...string[]] = [process.execPath, '--single-threaded-gc', program],
): Promise<CanaryEmitter | string> => {
  const started = await startAttendant(command, '', patience).catch((error: unknown) => ({
    ok: false as const,
    // Node throws where it has no descriptor left for a pipe.
    why: String(error),
  }));
  if (!started.ok) return errorLine(started.why) ?? started.why;
  const { line, ended, stop } = started;
  if (/^[1-9]\d{0,4}$/.test(line)) return { port: Number(line), ended, stop };
  await stop();
  return `it said ${JSON.stringify(line)} where its port was expected`;
};
