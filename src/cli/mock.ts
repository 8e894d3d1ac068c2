import { createInterface } from 'node:readline';
import { once } from 'node:events';
import type { Milliseconds } from '../model/quantity.ts';
import { realClock } from '../mock/real-clock.ts';
import { type SettingsInput, settingsSchema } from '../mock/settings.ts';
import { readyLine, startMock } from '../mock/start.ts';
import { onInterrupt } from '../platform/interrupts.ts';
import { Problem } from '../platform/problem.ts';
import { duration } from '../scenario/notation.ts';
import type { ExitName } from './exit-codes.ts';
import { toStderr, toStdout } from './streams.ts';

/** What `weir mock` was asked. */
export interface MockOrder {
  readonly port: number;
  readonly controlPort: number;
  readonly host: string;
  readonly key?: readonly string[] | undefined;
  readonly ttft?: string | undefined;
  readonly gap?: string | undefined;
  readonly requestsPerMinute?: number | undefined;
  readonly tokensPerMinute?: number | undefined;
  readonly seed?: number | undefined;
  readonly lifetime?: string | undefined;
  /** The file that gets what truly happened to each request. */
  readonly truth?: string | undefined;
  /** Started by a run: settings come as one JSON line on standard input, whose end ends the process. */
  readonly embedded: boolean;
  /** The same in a container, where signals are for the gateway alone and end it. */
  readonly contained: boolean;
}

const readLength = (option: string, text: string): Milliseconds => {
  const length = duration.read(text);
  if (length === null) throw new Problem(`--${option}: expected ${duration.expected}; got ${text}`);
  return length;
};

const lengthFrom = (option: string, text: string | undefined) =>
  text === undefined ? {} : { [option]: readLength(option, text) };

const limitFrom = (field: string, value: number | undefined) =>
  value === undefined ? {} : { [field]: value === 0 ? null : value };

const settingsFrom = (order: MockOrder): SettingsInput => ({
  port: order.port,
  controlPort: order.controlPort,
  host: order.host,
  ...(order.key === undefined ? {} : { keys: [...order.key] }),
  ...(order.seed === undefined ? {} : { seed: order.seed }),
  ...(order.truth === undefined ? {} : { truth: { file: order.truth } }),
  ...lengthFrom('ttft', order.ttft),
  ...lengthFrom('gap', order.gap),
  limits: {
    ...limitFrom('requestsPerMinute', order.requestsPerMinute),
    ...limitFrom('tokensPerMinute', order.tokensPerMinute),
  },
});

const start = async (settings: SettingsInput) => {
  const read = settingsSchema.safeParse(settings);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new Problem(`the mock’s settings: ${issue?.path.join('.')}: ${issue?.message}`);
  }
  try {
    return { settings: read.data, mock: await startMock(read.data, realClock()) };
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('The mock cannot ')) {
      throw new Problem(error.message);
    }
    throw error;
  }
};

/** Calls `end` when the lifetime that was ordered is over; the returned function calls it off. */
const endAfter = (lifetime: string | undefined, end: () => void): (() => void) => {
  if (lifetime === undefined) return () => undefined;
  const clock = realClock();
  return clock.at(clock.now() + readLength('lifetime', lifetime), end);
};

/** Serves a run: it outlives Ctrl-C, which is the run's to handle, and ends when the run's end of the pipe closes. */
const serveRun = async ({ contained, lifetime }: MockOrder): Promise<void> => {
  const over = Promise.withResolvers<void>();
  const input = createInterface({ input: process.stdin }).once('close', over.resolve);
  const callOff = endAfter(lifetime, over.resolve);
  const first = await Promise.race([once(input, 'line'), over.promise]);
  if (first !== undefined) {
    const { mock } = await start(JSON.parse(String(first[0])) as SettingsInput);
    const release = onInterrupt(() => {
      if (contained) over.resolve();
    });
    toStdout(readyLine(mock));
    await over.promise;
    release();
    await mock.close();
  }
  callOff();
  process.stdin.destroy();
};

const servePeople = async (order: MockOrder): Promise<void> => {
  const { mock, settings } = await start(settingsFrom(order));
  const stop = Promise.withResolvers<void>();
  const release = onInterrupt(() => stop.resolve());
  const callOff = endAfter(order.lifetime, stop.resolve);
  toStdout(
    [
      `The reference gateway listens on ${mock.url}`,
      `Keys: ${settings.keys.join(', ')}`,
      `Counters: ${mock.controlUrl}/counters`,
    ].join('\n'),
  );
  toStderr('Ctrl-C ends it.');
  await stop.promise;
  callOff();
  release();
  await mock.close();
};

/** Runs the reference gateway until it is told to stop. */
export const mock = async (order: MockOrder): Promise<ExitName> => {
  await (order.embedded || order.contained ? serveRun(order) : servePeople(order));
  return 'pass';
};
