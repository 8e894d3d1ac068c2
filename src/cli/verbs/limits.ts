import type { Argv } from 'yargs';
import { withOutputOptions } from '../options/output-options.ts';
import { terminalHost } from '../options/terminal-host.ts';
import type { AddVerb } from '../options/verbs.ts';

const withExaminationOptions = <T>(builder: Argv<T>) =>
  builder
    .options({
      window: { type: 'string', describe: 'Length of the window of the limits [60s]' },
      class: {
        type: 'string',
        describe: 'Compliant limiters, separated by commas [all]',
      },
      checks: {
        type: 'string',
        describe: 'Parts of the examination: counting, provocation, concurrency, exhausted [all]',
      },
      quick: {
        type: 'boolean',
        default: false,
        describe: 'Only identify the limiter',
      },
      price: {
        type: 'string',
        describe: 'Price of a million tokens, INPUT/OUTPUT, for the budget: 0.15/0.60',
      },
      yes: { type: 'boolean', default: false, describe: 'Spend the budget without asking' },
    })
    .group(['window', 'class', 'checks', 'quick', 'price', 'yes'], 'Examination:');

const withTargetOptions = <T>(builder: Argv<T>) =>
  builder
    .positional('scenario', {
      type: 'string',
      describe: 'Take target, keys, headers and limits from this scenario file',
    })
    .options({
      target: {
        type: 'string',
        describe: 'Base address (https://host/v1), or `mock` for the embedded reference gateway',
      },
      key: {
        type: 'string',
        describe: 'Environment variable with the key to examine [WEIR_API_KEY]',
      },
      'second-key': {
        type: 'string',
        describe: 'Environment variable with another idle key, to see whether they are independent',
      },
      model: { type: 'string', describe: 'Model for the small chats [the first of the list]' },
      set: {
        type: 'string',
        array: true,
        nargs: 1,
        default: [] as string[],
        describe:
          'Override a field of the scenario: --set limits.requestsPerMinute=120 --set mock.limits.profile=litellm',
      },
    })
    .group(['target', 'key', 'second-key', 'model', 'set'], 'Target:');

export const addLimits: AddVerb = (cli, ended) =>
  cli.command(
    'limits [scenario]',
    'Examine the rate limits of one idle key, and prove the findings',
    (builder) =>
      withTargetOptions(withExaminationOptions(withOutputOptions(builder))).option('out', {
        type: 'string',
        group: 'Output:',
        describe: 'Folder for limits.json, limits.html and limits.junit.xml [reports/TIME-limits]',
      }),
    async (given) => {
      const request = {
        scenario: given.scenario,
        target: given.target,
        set: given.set,
        key: given.key,
        secondKey: given.secondKey,
        model: given.model,
        window: given.window,
        permitted: given.class,
        checks: given.checks,
        price: given.price,
        quick: given.quick,
        yes: given.yes,
        out: given.out,
      };
      const { examineLimits } = await import('../../run/examine/limits.ts');
      ended(await examineLimits(request, terminalHost(given)));
    },
  );
