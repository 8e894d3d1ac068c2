import type { Argv } from 'yargs';
import { Problem } from '../../platform/problem.ts';
import type { Milliseconds } from '../../model/quantity.ts';
import { durationNotation } from '../../scenario/schema/notation.ts';
import { wholeNumberFrom } from '../options/number-options.ts';
import { UsageProblem } from '../options/scenario-options.ts';
import { terminalHost } from '../options/terminal-host.ts';
import type { AddVerb } from '../options/verbs.ts';

const withMockLimitOptions = <T>(builder: Argv<T>) =>
  builder
    .options({
      'requests-per-minute': { type: 'string', describe: 'For each key, or none [60]' },
      'tokens-per-minute': { type: 'string', describe: 'For each key, or none [2000000]' },
      window: { type: 'string', describe: 'Length of the limits’ window [1m]' },
      algorithm: { type: 'string', describe: 'How limits are counted [fixed-from-first]' },
      profile: {
        type: 'string',
        describe: 'Limits as in the specification (spec) or as LiteLLM (litellm) [spec]',
      },
      credits: { type: 'string', describe: 'Micro-units that each key may spend, or none [none]' },
    })
    .group(
      ['requests-per-minute', 'tokens-per-minute', 'window', 'algorithm', 'profile', 'credits'],
      'Limits:',
    );

/** Names and quantities are those of a scenario’s `mock`. */
const withMockOptions = <T>(builder: Argv<T>) =>
  withMockLimitOptions(builder)
    .positional('scenario', {
      type: 'string',
      describe: 'Start the gateway that a run of this scenario would start',
    })
    .options({
      port: { type: 'string', default: '8080', describe: 'Port; 0 picks a free one' },
      'control-port': { type: 'string', default: '0', describe: 'Port of the control interface' },
      host: { type: 'string', default: '127.0.0.1', describe: 'Address to listen on' },
      key: {
        type: 'string',
        array: true,
        nargs: 1,
        describe: 'Accepted API key, repeatable [sk-weir-test and similar]',
      },
      lifetime: { type: 'string', describe: 'Stop after this time: 10m [never]' },
      contained: { type: 'boolean', default: false, hidden: true },
      embedded: { type: 'boolean', default: false, hidden: true },
    })
    .group(['port', 'control-port', 'host', 'key', 'lifetime'], 'Where:')
    .options({
      ttft: { type: 'string', describe: 'Time to the first token [200ms]' },
      gap: { type: 'string', describe: 'Time between two tokens [20ms]' },
      latency: {
        type: 'string',
        describe: 'fixed, or a server that saturates: small, medium, large [fixed]',
      },
      seed: { type: 'string', describe: 'Seed of the answers [1]' },
    })
    .group(['ttft', 'gap', 'latency', 'seed'], 'Answers:')
    .options({
      truth: {
        type: 'string',
        describe: 'Write a trace of each request to this file, as JSON lines',
      },
      set: {
        type: 'string',
        array: true,
        nargs: 1,
        default: [],
        describe:
          'Any other setting of a scenario’s mock, repeatable: --set limits.workers=2 --set uploadTooLarge=400',
      },
    })
    .group(['truth', 'set'], 'More:');

const lifetimeFrom = (text: string | undefined): Milliseconds | null => {
  if (text === undefined) return null;
  const length = durationNotation.read(text);
  if (length !== null) return length;
  throw new UsageProblem(`--lifetime: expected ${durationNotation.expected}; got ${text}`);
};

/** Options for a setting, by its path below `mock` in a scenario. */
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
} as const;
type SettingOption = keyof typeof settingPaths;
const settingOptions = Object.keys(settingPaths) as readonly SettingOption[];

const settingsFrom = (
  given: Readonly<Partial<Record<SettingOption, string | undefined>>>,
): readonly string[] =>
  settingOptions.flatMap((option) =>
    given[option] === undefined ? [] : [`${settingPaths[option]}=${given[option]}`],
  );

/** Scenario problems name `--set mock.…`; this names the option of `weir mock` instead. */
const withOptionNames = (error: unknown): unknown =>
  error instanceof Problem
    ? new Problem(
        error.message.replaceAll(/--set mock\.([\w.]+)/g, (_, path: string) => {
          const option = settingOptions.find((each) => settingPaths[each] === path);
          return option === undefined
            ? `--set ${path}`
            : `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
        }),
      )
    : error;

const lastPort = 65_535;

export const addMock: AddVerb = (cli, ended) =>
  cli.command('mock [scenario]', 'Start the reference gateway', withMockOptions, async (given) => {
    const { serveMock, serveRun } = await import('../../run/gateway/serve-mock.ts');
    const lifetime = lifetimeFrom(given.lifetime);
    const { seed, contained: inContainer } = given;
    if (inContainer || given.embedded) {
      await serveRun({ inContainer, lifetime }, terminalHost());
    } else {
      const request = {
        scenario: given.scenario,
        port: wholeNumberFrom('port', given.port, lastPort),
        controlPort: wholeNumberFrom('control-port', given.controlPort, lastPort),
        host: given.host,
        keys: given.key,
        seed: seed === undefined ? seed : wholeNumberFrom('seed', seed, Number.MAX_SAFE_INTEGER),
        settings: [...settingsFrom(given), ...given.set],
        lifetime,
        truth: given.truth,
      };
      await serveMock(request, terminalHost()).catch((error: unknown) => {
        throw withOptionNames(error);
      });
    }
    ended('pass');
  });
