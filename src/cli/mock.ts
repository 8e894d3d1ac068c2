import { createInterface } from 'node:readline';
import { once } from 'node:events';
import { mockSettingsSchema } from '../model/mock-settings.ts';
import type { Milliseconds } from '../model/quantity.ts';
import { realClock } from '../mock/real-clock.ts';
import { type SettingsInput, settingsSchema } from '../mock/settings.ts';
import { CannotStart } from '../mock/cannot-start.ts';
import { readyLine, startMock } from '../mock/start.ts';
import { warmUp } from '../mock/warm-up.ts';
import { onInterrupt } from '../platform/interrupts.ts';
import { Problem } from '../platform/problem.ts';
import { duration } from '../scenario/notation.ts';
import { readSettings } from '../scenario/settings-notation.ts';
import { differingSettings } from './differing-settings.ts';
import { publishedKeys, rehearsalSettings } from './embedded-mock.ts';
import type { ExitName } from './exit-codes.ts';
import { readPlan } from './read-plan.ts';
import { toStderr, toStdout } from './streams.ts';

/** What `weir mock` was asked. */
export interface MockOrder {
  /** A scenario whose reference gateway is to be started, as a run of it would. */
  readonly scenario?: string | undefined;
  readonly port: number;
  readonly controlPort: number;
  readonly host: string;
  readonly key?: readonly string[] | undefined;
  readonly seed?: number | undefined;
  readonly ttft?: string | undefined;
  readonly gap?: string | undefined;
  readonly latency?: string | undefined;
  readonly requestsPerMinute?: string | undefined;
  readonly tokensPerMinute?: string | undefined;
  readonly window?: string | undefined;
  readonly algorithm?: string | undefined;
  readonly profile?: string | undefined;
  readonly credits?: string | undefined;
  /** Any other setting, as `path=value`. */
  readonly set: readonly string[];
  /** Ends by itself after this long. */
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

/** Flags that stand for a setting, by its path below `mock` in a scenario. */
const settingOf = {
  ttft: 'ttft',
  gap: 'gap',
  latency: 'latency',
  requestsPerMinute: 'limits.requestsPerMinute',
  tokensPerMinute: 'limits.tokensPerMinute',
  window: 'limits.window',
  algorithm: 'limits.algorithm',
  profile: 'limits.profile',
  credits: 'credits.balance',
} as const satisfies Partial<Record<keyof MockOrder, string>>;

/** A scenario that asks for nothing in particular. */
const anyScenario = { kind: 'models', rate: '1/s', duration: '1s' };

const settingsFrom = async (order: MockOrder): Promise<SettingsInput> => {
  const flags = (Object.keys(settingOf) as (keyof typeof settingOf)[]).flatMap((flag) => {
    const value = order[flag];
    return value === undefined ? [] : [`${settingOf[flag]}=${value}`];
  });
  const { plan } = await readPlan({
    scenario: order.scenario,
    flags: anyScenario,
    set: [...flags, ...order.set].map((setting) => `mock.${setting}`),
    target: 'mock',
  });
  const { seed, ...settings } = rehearsalSettings(plan, order.key ?? publishedKeys(plan));
  return {
    ...settings,
    seed: order.seed ?? seed,
    port: order.port,
    controlPort: order.controlPort,
    host: order.host,
    ...(order.truth === undefined ? {} : { truth: { file: order.truth } }),
  };
};

/** The control port understands the notation of scenarios too. */
const spoken = (written: unknown): unknown => readSettings(mockSettingsSchema, written);

const start = async (settings: SettingsInput) => {
  const read = settingsSchema.safeParse(settings);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new Problem(`the mock’s settings: ${issue?.path.join('.')}: ${issue?.message}`);
  }
  await warmUp();
  try {
    return { settings: read.data, mock: await startMock(read.data, realClock(), spoken) };
  } catch (error) {
    if (error instanceof CannotStart) throw new Problem(error.message);
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
  const { mock, settings } = await start(await settingsFrom(order));
  const stop = Promise.withResolvers<void>();
  const release = onInterrupt(() => stop.resolve());
  const callOff = endAfter(order.lifetime, stop.resolve);
  const differing = differingSettings(settings);
  toStdout(
    [
      `The reference gateway listens on ${mock.url}`,
      `Keys: ${settings.keys.join(', ')}`,
      `Counters: ${mock.controlUrl}/counters (beside them /state, /ledger, /settings, /truth, /reset, /clock, /health)`,
      ...(differing.length === 0 ? [] : [`Other than usual: ${differing.join(' ')}`]),
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
