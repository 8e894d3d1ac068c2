import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { type ChildProcessHandle, startChildProcess } from './child-process.ts';
import { Problem } from '../problem.ts';

/** The reference gateway in its own process, started for one run. */
export interface MockProcess extends Pick<ChildProcessHandle, 'ended' | 'stop'> {
  /** `null` in a container. */
  readonly pid: number | null;
  /** The base address for requests. */
  readonly url: string;
  /** The control address, for counters. */
  readonly control: string;
}

/** The first line that the process prints, once it listens. */
const mockReadySchema = z.strictObject({ url: z.url(), control: z.url() });

const readReady = (line: string): z.infer<typeof mockReadySchema> | null => {
  try {
    return mockReadySchema.parse(JSON.parse(line));
  } catch {
    return null;
  }
};

/**
 * A gateway's garbage is short-lived: a small young generation has no measurable cost and shortens
 * each collection. Node runs all steps of a marking of the old generation in one turn of the
 * loop, 20 to 50 ms for 2,000 streams, so the first marking is delayed; and collectors in their own
 * threads compete with the gateway or the load generator for a core (`npm run bench mock`).
 */
export const mockNodeFlags: readonly string[] = [
  '--max-semi-space-size=4',
  '--initial-old-space-size=256',
  '--single-threaded-gc',
];

/** The command that starts the embedded reference gateway with the program at this path. */
export const mockCommand = (program: string): readonly [string, ...string[]] => [
  process.execPath,
  ...mockNodeFlags,
  program,
  'mock',
  '--embedded',
];

/**
 * Starts `command` (a Node executable and its arguments), writes `settings` as one JSON line to
 * its standard input and waits for its ready line.
 */
export const startMockProcess = async (
  command: readonly [string, ...string[]],
  settings: unknown,
): Promise<MockProcess> => {
  const started = await startChildProcess(command, `${JSON.stringify(settings)}\n`);
  if (!started.ok) throw new Problem(`the reference gateway did not start: ${started.reason}`);
  const { line, pid, ended, stop } = started;
  const ready = readReady(line);
  if (ready !== null) return { ...ready, pid, ended, stop };
  await stop();
  throw new Problem(
    `the reference gateway did not start: expected its addresses, got ${JSON.stringify(line)}. Check whether NODE_OPTIONS loads a program that prints`,
  );
};

/** A gateway that was suspended answers no more; the run's figures do not depend on it (ms). */
const countersTimeout = 2000;

/** Aborted connections reach the gateway a little later: its counters are polled this often, at this interval in ms. */
const drainPolling = { times: 20, apart: 50 };

/** The mock's counters since its start, once no request is in flight there. */
export const fetchMockCounters = async ({
  control,
}: MockProcess): Promise<Record<string, number>> => {
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(`${control}/counters`, {
      signal: AbortSignal.timeout(countersTimeout),
    });
    const counters = z.record(z.string(), z.int()).parse(await response.json());
    if (counters['inFlight'] === 0 || attempt >= drainPolling.times) return counters;
    await setTimeout(drainPolling.apart);
  }
};
