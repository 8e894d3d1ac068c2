import { createInterface } from 'node:readline';
import { once } from 'node:events';
import { mockSettingsSchema } from '../../model/gateway/mock-settings.ts';
import type { Milliseconds } from '../../model/quantity.ts';
import { realClock } from '../../mock/clock/real-clock.ts';
import { type SettingsInput, settingsSchema } from '../../mock/settings/settings.ts';
import { MockStartError } from '../../mock/errors/mock-start-error.ts';
import { readyLine, startMock } from '../../mock/gateway/start.ts';
import { warmUpAudio } from '../../mock/audio/audio-probe.ts';
import { onInterrupt } from '../../platform/process/interrupts.ts';
import { Problem } from '../../platform/problem.ts';
import { schemaIssueMessage } from '../../scenario/text/schema-findings.ts';
import { durationNotation } from '../../scenario/schema/notation.ts';
import { parseSettings } from '../../scenario/schema/settings-notation.ts';
import { nonDefaultSettings } from './non-default-settings.ts';
import { defaultMockKeys, embeddedMockSettings } from '../../run/target/embedded-mock.ts';
import type { ExitName } from '../../run/output/exit-codes.ts';
import { UsageProblem } from '../options/scenario-options.ts';
import { readPlan } from '../../run/input/read-plan.ts';
import { mockSummaryText } from './mock-summary.ts';
import { toStderr, toStdout } from '../../platform/standard-streams.ts';

/** What `weir mock` was asked. */
export interface MockRequest {
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
  const length = durationNotation.read(text);
  if (length === null) {
    throw new UsageProblem(`--lifetime: expected ${durationNotation.expected}; got ${text}`);
  }
  return length;
};

const lastPort = 65_535;

const readWholeNumber = (
  option: string,
  text: string | undefined,
  most: number,
): number | undefined => {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= most) return value;
  throw new UsageProblem(`--${option}: expected a whole number from 0 to ${most}, got "${text}"`);
};

/** Flags that stand for a setting, by its path below `mock` in a scenario. */
const settingPaths = {
  ttft: 'ttft',
  gap: 'gap',
  latency: 'latency',
  requestsPerMinute: 'limits.requestsPerMinute',
  tokensPerMinute: 'limits.tokensPerMinute',
  window: 'limits.window',
  algorithm: 'limits.algorithm',
  profile: 'limits.profile',
  credits: 'credits.balance',
} as const satisfies Partial<Record<keyof MockRequest, string>>;

/** What is said of a run's `--set` is about the flag that was given here. */
const withFlagNames = (message: string): string =>
  message.replaceAll(/--set mock\.([\w.]+)/g, (_, path: string) => {
    const flag = Object.entries(settingPaths).find(([, setting]) => setting === path);
    return flag === undefined
      ? `--set ${path}`
      : `--${flag[0].replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  });

/** A scenario that asks for nothing in particular. */
const placeholderScenario = { kind: 'models', rate: '1/s', duration: '1s' };

const settingsFrom = async (request: MockRequest): Promise<SettingsInput> => {
  const flags = (Object.keys(settingPaths) as (keyof typeof settingPaths)[]).flatMap((flag) => {
    const value = request[flag];
    return value === undefined ? [] : [`${settingPaths[flag]}=${value}`];
  });
  const { plan } = await readPlan({
    scenario: request.scenario,
    flags: placeholderScenario,
    set: [...flags, ...request.set].map((setting) => `mock.${setting}`),
    target: 'mock',
  }).catch((error: unknown) => {
    throw error instanceof Problem ? new Problem(withFlagNames(error.message)) : error;
  });
  const { seed, ...settings } = embeddedMockSettings(plan, request.key ?? defaultMockKeys(plan));
  return {
    ...settings,
    seed: readWholeNumber('seed', request.seed, Number.MAX_SAFE_INTEGER) ?? seed,
    port: readWholeNumber('port', request.port, lastPort),
    controlPort: readWholeNumber('control-port', request.controlPort, lastPort),
    host: request.host,
    ...(request.truth === undefined ? {} : { truth: { file: request.truth } }),
  };
};

/** The control port understands the notation of scenarios too. */
const parseControlSettings = (notation: unknown): unknown =>
  parseSettings(mockSettingsSchema, notation);

const start = async (settings: SettingsInput) => {
  const read = settingsSchema.safeParse(settings, { error: schemaIssueMessage });
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new Problem(`the mock’s settings: ${issue?.path.join('.')}: ${issue?.message}`);
  }
  await warmUpAudio();
  try {
    return {
      settings: read.data,
      mock: await startMock(read.data, realClock(), parseControlSettings),
    };
  } catch (error) {
    if (error instanceof MockStartError) throw new Problem(error.message);
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
const serveRun = async ({ contained, lifetime }: MockRequest): Promise<void> => {
  const finished = Promise.withResolvers<void>();
  const input = createInterface({ input: process.stdin }).once('close', finished.resolve);
  const cancelLifetime = endAfter(readLifetime(lifetime), finished.resolve);
  const first = await Promise.race([once(input, 'line'), finished.promise]);
  if (first !== undefined) {
    const { mock } = await start(JSON.parse(String(first[0])) as SettingsInput);
    const release = onInterrupt(() => {
      if (contained) finished.resolve();
    });
    toStdout(readyLine(mock));
    await finished.promise;
    release();
    await mock.close();
  }
  cancelLifetime();
  process.stdin.destroy();
};

const serveStandalone = async (request: MockRequest): Promise<void> => {
  const lifetime = readLifetime(request.lifetime);
  const { mock, settings } = await start(await settingsFrom(request));
  const stop = Promise.withResolvers<void>();
  const release = onInterrupt(() => stop.resolve());
  const cancelLifetime = endAfter(lifetime, stop.resolve);
  const differing = nonDefaultSettings(settings);
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
  cancelLifetime();
  release();
  await mock.close();
  toStderr(mockSummaryText(mock.counters()));
};

/** Runs the reference gateway until it is told to stop. */
export const mock = async (request: MockRequest): Promise<ExitName> => {
  await (request.embedded || request.contained ? serveRun(request) : serveStandalone(request));
  return 'pass';
};
