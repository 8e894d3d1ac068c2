import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { type ChildProcessHandle, startChildProcess } from './child-process.ts';
import { Problem } from '../problem.ts';

/** The reference gateway in its own process, started for one run. */
export interface MockProcess extends Pick<ChildProcessHandle, 'ended' | 'stop'> {
  /** The process id; `null` in a container. */
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
 * Flags that keep the gateway's garbage collections short. Its garbage is short-lived, so a small young generation
 * costs nothing. Marking the old generation takes 20 to 50 ms for 2,000 streams, so it is delayed. Collectors in
 * separate threads would compete with the load generator for a core (`npm run bench mock`).
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

/** Starts the gateway by `command`, with `settings` as the first line of its input, and waits until it listens. */
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

/** How long reading the counters may take, in ms; a suspended gateway would never answer. */
const countersTimeout = 2000;

/**
 * How many times the counters are polled, and the interval in ms, until aborted connections have reached the gateway.
 */
const drainPolling = { times: 20, apart: 50 };

/** Returns the mock's counters since its start, once no request is in flight there. */
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
