import { mockSettingsSchema } from '../../model/gateway/mock-settings.ts';
import type { Milliseconds } from '../../model/quantity.ts';
import { realClock } from '../../mock/clock/real-clock.ts';
import { type SettingsInput, settingsSchema } from '../../mock/settings/settings.ts';
import { MockStartError } from '../../mock/errors/mock-errors.ts';
import { readyLine, startMock } from '../../mock/gateway/start.ts';
import { warmUpAudio } from '../../mock/audio/audio-probe.ts';
import { openParentPipe } from '../../platform/process/parent-pipe.ts';
import { Problem } from '../../platform/problem.ts';
import { schemaIssueMessage } from '../../scenario/text/schema-findings.ts';
import { parseSettings, nonDefaultSettings } from './settings-notation.ts';
import { defaultMockKeys, embeddedMockSettings } from '../../run/target/embedded-mock.ts';
import type { Host } from '../../run/input/host.ts';
import { placeholderScenario, readPlan } from '../../run/input/read-plan.ts';
import { countText, plural } from '../../report/text/number-text.ts';

const outcomesInOrder = ['completed', 'limited', 'refused', 'faulted', 'aborted', 'cut'] as const;

/** Returns the last line that the reference gateway writes: how many requests it received, and how they ended. */
export const mockSummaryText = (counters: Readonly<Record<string, number>>): string => {
  const { received = 0 } = counters;
  if (received === 0) return 'Ended; no requests received.';
  const parts = outcomesInOrder
    .filter((end) => counters[end]! > 0)
    .map((end) => `${countText(counters[end]!)} ${end}`);
  return `Ended; of ${plural(received, 'request')}: ${parts.join(', ')}.`;
};

export interface MockRequest {
  /** A scenario file. The gateway is started as for a run of this scenario. */
  readonly scenario: string | undefined;
  readonly port: number;
  readonly controlPort: number;
  readonly host: string;
  /** The API keys that are accepted; `undefined` means the test keys. */
  readonly keys: readonly string[] | undefined;
  /** The seed; `undefined` means that of the scenario. */
  readonly seed: number | undefined;
  /** The settings as `path=value`, where the path is relative to `mock` in a scenario. */
  readonly settings: readonly string[];
  /** The time in ms after which the gateway stops; `null` if it does not stop by itself. */
  readonly lifetime: Milliseconds | null;
  /** The file to which the gateway writes a trace of each request. */
  readonly truth: string | undefined;
}

const settingsFrom = async (
  request: MockRequest,
  { environment }: Host,
): Promise<SettingsInput> => {
  const source = {
    scenario: request.scenario,
    flags: placeholderScenario,
    set: request.settings.map((setting) => `mock.${setting}`),
    target: 'mock',
    // The gateway never sends the content of these files.
    allowFiles: true,
  };
  const { plan } = await readPlan(source, environment);
  const settings = embeddedMockSettings(plan, request.keys ?? defaultMockKeys(plan));
  const { host, port, controlPort, truth, seed = settings.seed } = request;
  const traced = truth === undefined ? {} : { truth: { file: truth } };
  return { ...settings, seed, port, controlPort, host, ...traced };
};

const start = async (settings: SettingsInput) => {
  const read = settingsSchema.safeParse(settings, { error: schemaIssueMessage });
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new Problem(`the mock’s settings: ${issue?.path.join('.')}: ${issue?.message}`);
  }
  await warmUpAudio();
  // Values at the control port are in the notation of scenarios.
  const parse = (notation: unknown): unknown => parseSettings(mockSettingsSchema, notation);
  const mock = await startMock(read.data, realClock(), parse).catch((error: unknown) => {
    throw error instanceof MockStartError ? new Problem(error.message) : error;
  });
  return { settings: read.data, mock };
};

const endAfter = (lifetime: Milliseconds | null, end: () => void): (() => void) => {
  if (lifetime === null) return () => undefined;
  const clock = realClock();
  return clock.at(clock.now() + lifetime, end);
};

/**
 * Runs the gateway for the run that started this process. The settings come through the pipe as one line of JSON, and
 * the gateway ends when the pipe ends. Stop signals are handled by the run; in a container they come from the container
 * engine.
 */
export const serveRun = async (
  { inContainer, lifetime }: Pick<MockRequest, 'lifetime'> & { readonly inContainer: boolean },
  { printer, onStop }: Host,
): Promise<void> => {
  const finished = Promise.withResolvers<void>();
  const pipe = openParentPipe();
  void pipe.closed.then(finished.resolve);
  const cancelLifetime = endAfter(lifetime, finished.resolve);
  const first = await Promise.race([pipe.firstLine, finished.promise.then(() => null)]);
  if (first !== null) {
    const { mock } = await start(JSON.parse(first) as SettingsInput);
    const release = onStop(() => {
      if (inContainer) finished.resolve();
    });
    printer.print({ text: () => readyLine(mock) });
    await finished.promise;
    release();
    await mock.close();
  }
  cancelLifetime();
  pipe.close();
};

export const serveMock = async (request: MockRequest, host: Host): Promise<void> => {
  const { mock, settings } = await start(await settingsFrom(request, host));
  const stop = Promise.withResolvers<void>();
  const release = host.onStop(() => stop.resolve());
  const cancelLifetime = endAfter(request.lifetime, stop.resolve);
  const differing = nonDefaultSettings(settings);
  const lines = [
    `The reference gateway listens on ${mock.url}`,
    `Keys: ${settings.keys.join(', ')}`,
    `Counters: ${mock.controlUrl}/counters (also /state, /ledger, /settings, /truth, /reset, /clock, /health)`,
    ...(differing.length === 0 ? [] : [`Changed settings: ${differing.join(' ')}`]),
  ];
  host.printer.print({ text: () => lines.join('\n') });
  host.printer.say('Ctrl-C ends it.');
  await stop.promise;
  cancelLifetime();
  release();
  await mock.close();
  host.printer.say(mockSummaryText(mock.counters()));
};
