import type { Argv } from 'yargs';

/** How a key is examined. */
const withExaminationOptions = <T>(builder: Argv<T>) =>
  builder
    .options({
      window: { type: 'string', describe: 'The length of the limits’ minute [60s]' },
      class: {
        type: 'string',
        describe: 'Limiters that count as compliant, separated by commas [all]',
      },
      checks: {
        type: 'string',
        describe: 'Parts of the examination: counting, provocation, concurrency, exhausted [all]',
      },
      quick: {
        type: 'boolean',
        default: false,
        describe: 'Only find out which limiter it is',
      },
      price: {
        type: 'string',
        describe: 'Price of a million tokens, INPUT/OUTPUT, for the budget: 0.15/0.60',
      },
      yes: { type: 'boolean', default: false, describe: 'Spend the budget without being asked' },
    })
    .group(['window', 'class', 'checks', 'quick', 'price', 'yes'], 'Examination:');

/** What `weir limits` can be told beside where to put its reports. */
export const limitsOptions = <T>(builder: Argv<T>) =>
  withExaminationOptions(builder)
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
        describe: 'Environment variable with another idle key, to see whether they are apart',
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
    .group(['target', 'key', 'second-key', 'model', 'set'], 'Target:')
    .option('out', {
      type: 'string',
      group: 'Output:',
      describe: 'Folder for limits.json, limits.html and limits.junit.xml [reports/TIME-limits]',
    });
