import type { Milliseconds } from '../../model/quantity.ts';
import type { SettingsInput } from '../../mock/settings/settings.ts';
import { nonDefaultSettings } from './settings-notation.ts';
import { endAfter, startServing } from './start-serving.ts';
import { defaultMockKeys, embeddedMockSettings } from '../../run/target/embedded-mock.ts';
import type { Host } from '../../run/input/host.ts';
import { placeholderScenario, readPlan } from '../../run/input/read-plan.ts';
import { countText, plural } from '../../report/text/number-text.ts';

const outcomesInOrder = ['completed', 'limited', 'refused', 'faulted', 'aborted', 'cut'] as const;

/** Returns the last line of the reference gateway: the number of requests, and how the requests ended. */
export const mockSummaryText = (counters: Readonly<Record<string, number>>): string => {
  const { received = 0 } = counters;
  if (received === 0) return 'Ended; no requests received.';
  const parts = outcomesInOrder
    .filter((end) => counters[end]! > 0)
    .map((end) => `${countText(counters[end]!)} ${end}`);
  return `Ended; of ${plural(received, 'request')}: ${parts.join(', ')}.`;
};

export interface MockRequest {
  /** A scenario file. The gateway starts as for a run of this scenario. */
  readonly scenario: string | undefined;
  readonly port: number;
  readonly controlPort: number;
  readonly host: string;
  /** The API keys that the gateway accepts; `undefined` means the test keys. */
  readonly keys: readonly string[] | undefined;
  /** The seed; `undefined` means the seed of the scenario. */
  readonly seed: number | undefined;
  /** The settings as `path=value`, with the path relative to `mock` in a scenario. */
  readonly settings: readonly string[];
  /** The gateway stops after this many ms; `null` if only a signal stops it. */
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
    // Any files may be read, since the gateway never sends their content.
    allowFiles: true,
  };
  const { plan } = await readPlan(source, environment);
  const settings = embeddedMockSettings(plan, request.keys ?? defaultMockKeys(plan));
  const { host, port, controlPort, truth, seed = settings.seed } = request;
  const traced = truth === undefined ? {} : { truth: { file: truth } };
  return { ...settings, seed, port, controlPort, host, ...traced };
};

export const serveMock = async (request: MockRequest, host: Host): Promise<void> => {
  const { mock, settings } = await startServing(await settingsFrom(request, host));
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
