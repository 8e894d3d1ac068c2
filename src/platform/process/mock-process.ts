import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { type ChildProcessHandle, startChildProcess } from './child-process.ts';
import { parsedJson } from '../../model/parsed-json.ts';
import { UnusableTarget } from '../problem.ts';

/** A process of the reference gateway, started for one run. */
export interface MockProcess extends Pick<ChildProcessHandle, 'ended' | 'stop'> {
  /** The process id; `null` in a container. */
  readonly pid: number | null;
  readonly url: string;
  /** The address at which the gateway's counters are read. */
  readonly control: string;
}

/** The first line that the gateway prints, as soon as the gateway listens. */
const mockReadySchema = z.strictObject({ url: z.url(), control: z.url() });

const readReady = (line: string): z.infer<typeof mockReadySchema> | undefined =>
  mockReadySchema.safeParse(parsedJson(line)).data;

/**
 * Flags of Node that keep the gateway's garbage collections short. The gateway's garbage is short-lived, so a small
 * young generation costs nothing. Marking the old generation takes 20 to 50 ms with 2,000 streams, so marking is
 * delayed. Garbage collectors in separate threads would compete with the load generator for a core (measured by `npm
 * run bench mock`).
 */
export const mockNodeFlags: readonly string[] = [
  '--max-semi-space-size=4',
  '--initial-old-space-size=256',
  '--single-threaded-gc',
];

/**
 * Returns the command of a gateway for one run. If the run uploads nothing, the gateway does not load the code that
 * measures recordings, which costs 110 ms of CPU.
 */
export const mockCommand = (program: string, hasUploads = true): readonly [string, ...string[]] => [
  process.execPath,
  ...mockNodeFlags,
  program,
  'mock',
  '--embedded',
  ...(hasUploads ? [] : ['--no-uploads']),
];

/**
 * Starts the gateway by `command`, sends `settings` as the first line of the gateway's input, and waits until the
 * gateway listens.
 */
export const startMockProcess = async (
  command: readonly [string, ...string[]],
  settings: unknown,
): Promise<MockProcess> => {
  const started = await startChildProcess(command, `${JSON.stringify(settings)}\n`);
  if (!started.ok)
    throw new UnusableTarget(`the reference gateway did not start: ${started.reason}`);
  const { line, pid, ended, stop } = started;
  const ready = readReady(line);
  if (ready !== undefined) return { ...ready, pid, ended, stop };
  await stop();
  throw new UnusableTarget(
    `the reference gateway did not start: expected its addresses, got ${JSON.stringify(line)}. Check whether NODE_OPTIONS loads a program that prints`,
  );
};

/** The maximum time for reading the counters, in ms. A suspended gateway would never answer. */
const countersTimeout = 2000;

/**
 * The counters are read up to `times` times, with pauses of `apart` ms, until no request is in flight. Meanwhile, the
 * gateway notices aborted connections.
 */
const drainPolling = { times: 20, apart: 50 };

/**
 * Returns the gateway's counters since its start, as soon as no request is in flight. Returns the last reading if
 * requests are still in flight after `drainPolling.times` readings.
 */
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
