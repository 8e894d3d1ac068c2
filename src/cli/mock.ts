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
import { sentence } from '../scenario/complaint.ts';
import { duration } from '../scenario/notation.ts';
import { readSettings } from '../scenario/settings-notation.ts';
import { differingSettings } from './differing-settings.ts';
import { publishedKeys, rehearsalSettings } from './embedded-mock.ts';
import type { ExitName } from './exit-codes.ts';
import { UsageProblem } from './options.ts';
import { readPlan } from './read-plan.ts';
import { servedText } from './served-text.ts';
import { toStderr, toStdout } from './streams.ts';

/** What `weir mock` was asked. */
export interface MockOrder {
  /** A scenario whose reference gateway is to be started, as a run of it would. */
  readonly scenario?: string | undefined;
  readonly port: string;
  readonly controlPort: string;
  readonly host: string;
  readonly key?: readonly string[] | undefined;
  readonly seed?: string | undefined;
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

const readLifetime = (text: string | undefined): Milliseconds | null => {
  if (text === undefined) return null;
  const length = duration.read(text);
  if (length === null) {
    throw new UsageProblem(`--lifetime: expected ${duration.expected}; got ${text}`);
  }
  return length;
};

const lastPort = 65_535;

const wholeFrom = (option: string, text: string | undefined, most: number): number | undefined => {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= most) return value;
  throw new UsageProblem(`--${option}: expected a whole number from 0 to ${most}, got "${text}"`);
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

/** What is said of a run's `--set` is about the flag that was given here. */
const inOwnFlags = (message: string): string =>
  message.replaceAll(/--set mock\.([\w.]+)/g, (_, path: string) => {
    const own = Object.entries(settingOf).find(([, setting]) => setting === path);
    return own === undefined
      ? `--set ${path}`
      : `--${own[0].replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  });

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
  }).catch((error: unknown) => {
    throw error instanceof Problem ? new Problem(inOwnFlags(error.message)) : error;
  });
  const { seed, ...settings } = rehearsalSettings(plan, order.key ?? publishedKeys(plan));
  return {
    ...settings,
    seed: wholeFrom('seed', order.seed, Number.MAX_SAFE_INTEGER) ?? seed,
    port: wholeFrom('port', order.port, lastPort),
    controlPort: wholeFrom('control-port', order.controlPort, lastPort),
    host: order.host,
    ...(order.truth === undefined ? {} : { truth: { file: order.truth } }),
  };
};

/** The control port understands the notation of scenarios too. */
const spoken = (written: unknown): unknown => readSettings(mockSettingsSchema, written);

const start = async (settings: SettingsInput) => {
  const read = settingsSchema.safeParse(settings, { error: sentence });
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

/** Calls `end` when the lifetime is over; the returned function calls it off. */
const endAfter = (lifetime: Milliseconds | null, end: () => void): (() => void) => {
  if (lifetime === null) return () => undefined;
  const clock = realClock();
  return clock.at(clock.now() + lifetime, end);
};

/** Serves a run: it outlives Ctrl-C, which is the run's to handle, and ends when the run's end of the pipe closes. */
const serveRun = async ({ contained, lifetime }: MockOrder): Promise<void> => {
  const over = Promise.withResolvers<void>();
  const input = createInterface({ input: process.stdin }).once('close', over.resolve);
  const callOff = endAfter(readLifetime(lifetime), over.resolve);
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
  const lifetime = readLifetime(order.lifetime);
  const { mock, settings } = await start(await settingsFrom(order));
  const stop = Promise.withResolvers<void>();
  const release = onInterrupt(() => stop.resolve());
  const callOff = endAfter(lifetime, stop.resolve);
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
  toStderr(servedText(mock.counters()));
};

/** Runs the reference gateway until it is told to stop. */
export const mock = async (order: MockOrder): Promise<ExitName> => {
  await (order.embedded || order.contained ? serveRun(order) : servePeople(order));
  return 'pass';
};
