import { Problem } from '../../../platform/problem.ts';
import type { Milliseconds } from '../../../model/quantity.ts';
import { durationNotation } from '../../../scenario/schema/notation.ts';
import {
  defineVerb,
  inGroup,
  listOption,
  positionals,
  textOption,
  UsageProblem,
} from '../../../cli/options/define-verb.ts';
import { wholeNumberFrom } from '../../../cli/options/number-options.ts';
import { terminalHost } from '../../../cli/options/terminal-host.ts';

/** For each option, the path of its setting below `mock` in a scenario. */
const settingPaths: Readonly<Record<string, string>> = {
  'requests-per-minute': 'limits.requestsPerMinute',
  'tokens-per-minute': 'limits.tokensPerMinute',
  window: 'limits.window',
  algorithm: 'limits.algorithm',
  profile: 'limits.profile',
  credits: 'credits.balance',
  ttft: 'ttft',
  gap: 'gap',
  latency: 'latency',
};

/** The options of the command line. Names and notations are the same as under `mock` in a scenario. */
const options = {
  ...inGroup('Limits:', {
    'requests-per-minute': textOption('For each key, or none [60]'),
    'tokens-per-minute': textOption('For each key, or none [2000000]'),
    window: textOption('Length of the limits’ window [1m]'),
    algorithm: textOption('How limits are counted [fixed-from-first]'),
    profile: textOption('Limits as in the specification (spec) or as LiteLLM (litellm) [spec]'),
    credits: textOption('Micro-units that each key may spend, or none [none]'),
  }),
  ...inGroup(positionals, {
    scenario: textOption('Start the gateway that a run of this scenario would start'),
  }),
  ...inGroup('Where:', {
    port: { ...textOption('Port; 0 picks a free one'), default: '8080' },
    'control-port': { ...textOption('Port of the control interface'), default: '0' },
    host: { ...textOption('Address to listen on'), default: '127.0.0.1' },
    key: {
      ...textOption('Accepted API key, repeatable [sk-weir-test and similar]'),
      array: true as const,
      nargs: 1,
    },
    lifetime: textOption('Stop after this time: 10m [never]'),
  }),
  contained: { type: 'boolean', default: false, hidden: true },
  embedded: { type: 'boolean', default: false, hidden: true },
  uploads: { type: 'boolean', default: true, hidden: true },
  ...inGroup('Answers:', {
    ttft: textOption('Time to the first token [200ms]'),
    gap: textOption('Time between two tokens [20ms]'),
    latency: textOption('fixed, or a server that saturates: small, medium, large [fixed]'),
    seed: textOption('Seed of the answers [1]'),
  }),
  ...inGroup('More:', {
    truth: textOption('Write a trace of each request to this file, as JSON lines'),
    set: listOption(
      'Any other setting of a scenario’s mock, repeatable: --set limits.workers=2 --set uploadTooLarge=400',
    ),
  }),
} as const;

const lifetimeFrom = (text: string | undefined): Milliseconds | null => {
  if (text === undefined) return null;
  const length = durationNotation.read(text);
  if (length !== null) return length;
  throw new UsageProblem(`--lifetime: expected ${durationNotation.expected}; got ${text}`);
};

const settingsFrom = (given: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.entries(settingPaths).flatMap(([option, path]) =>
    given[option] === undefined ? [] : [`${path}=${given[option] as string}`],
  );

/** In problems of the scenario, replaces `--set mock.…` by the option of `weir mock`. */
const withOptionNames = (error: unknown): unknown =>
  error instanceof Problem
    ? new Problem(
        error.message.replaceAll(/--set mock\.([\w.]+)/g, (_, path: string) => {
          const names = Object.keys(settingPaths);
          return `--${names.find((name) => settingPaths[name] === path) ?? `set ${path}`}`;
        }),
      )
    : error;

export const mockVerb = defineVerb({
  options,
  run: async (given) => {
    const lifetime = lifetimeFrom(given.lifetime);
    const { seed, contained: inContainer } = given;
    if (/^\d+$/.test(given.scenario ?? ''))
      throw new UsageProblem(
        `expected a scenario file or options, got the number ${given.scenario}: write --port ${given.scenario}`,
      );
    if (inContainer || given.embedded) {
      const { serveRun } = await import('../serve-run.ts');
      await serveRun({ inContainer, hasUploads: given.uploads, lifetime }, terminalHost());
      return 'pass';
    }
    const { serveMock } = await import('../serve-mock.ts');
    const request = {
      ...given,
      port: wholeNumberFrom('port', given.port, 65_535),
      controlPort: wholeNumberFrom('control-port', given.controlPort, 65_535),
      keys: given.key,
      seed: seed === undefined ? seed : wholeNumberFrom('seed', seed, Number.MAX_SAFE_INTEGER),
      settings: [...settingsFrom(given), ...given.set],
      lifetime,
    };
    await serveMock(request, terminalHost()).catch((error: unknown) => {
      throw withOptionNames(error);
    });
    return 'pass';
  },
});
