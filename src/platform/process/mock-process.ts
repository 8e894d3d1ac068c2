import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { startChildProcess } from './child-process.ts';
import { Problem } from '../problem.ts';

/** The reference gateway in a process of its own, started for one run. */
export interface MockProcess {
  /** The base address for requests. */
  readonly url: string;
  /** The control address, for counters. */
  readonly control: string;
  /** How it ended before it was asked to, as far as is known; `null` while it runs. */
  ended(): string | null;
  /** Ends the process and waits until it is gone. */
  stop(): Promise<void>;
}

/** What the process prints as its first line once it listens. */
const mockReadySchema = z.strictObject({ url: z.url(), control: z.url() });

const readReady = (line: string): z.infer<typeof mockReadySchema> | null => {
  try {
    return mockReadySchema.parse(JSON.parse(line));
  } catch {
    return null;
  }
};

/**
 * A gateway's garbage is short-lived: a small young generation costs it nothing measurable and shortens
 * each collection. Node runs all steps of a marking of the old generation in one turn of the
 * loop, 20 to 50 ms for 2,000 streams, so the first of them comes late; and collectors of their own
 * threads take the core from the thread that waits for them, or from the load generator (`npm run bench mock`).
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
 * Starts `command` (a Node executable and its arguments), hands it `settings` as one JSON line on
 * its standard input and waits for its ready line.
 */
export const startMockProcess = async (
  command: readonly [string, ...string[]],
  settings: unknown,
): Promise<MockProcess> => {
  const started = await startChildProcess(command, `${JSON.stringify(settings)}\n`);
  if (!started.ok) throw new Problem(`the reference gateway did not start: ${started.reason}`);
  const { line, ended, stop } = started;
  const ready = readReady(line);
  if (ready !== null) return { ...ready, ended, stop };
  await stop();
  throw new Problem(
    `the reference gateway did not start: it said ${JSON.stringify(line)} where its addresses were expected. Does NODE_OPTIONS load something that prints?`,
  );
};

/** Connections that were cut reach the gateway a little later: it is asked again this often, this far apart (ms). */
const drainPolling = { times: 20, apart: 50 };

/** The mock's own counters over its life so far, once nothing is in flight there any more. */
export const fetchMockCounters = async ({
  control,
}: MockProcess): Promise<Record<string, number>> => {
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(`${control}/counters`);
    const counters = z.record(z.string(), z.int()).parse(await response.json());
    if (counters['inFlight'] === 0 || attempt >= drainPolling.times) return counters;
    await setTimeout(drainPolling.apart);
  }
};
