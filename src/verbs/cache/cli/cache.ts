import {
  defineVerb,
  inGroup,
  positionals,
  preflightOption,
  switchOption,
  textOption,
} from '../../../cli/options/define-verb.ts';
import { checkKeyName } from '../../../cli/options/key-name.ts';
import { outputOptions } from '../../../cli/options/output-options.ts';
import { targetOptions } from '../../../cli/options/target-options.ts';
import { terminalHost } from '../../../cli/options/terminal-host.ts';

export const cacheVerb = defineVerb({
  options: {
    ...outputOptions,
    ...inGroup('Cache:', {
      longest: textOption('The longest time between a prompt and its repetition [2m]'),
      tokens: textOption('The most tokens to send [60000]'),
      yes: switchOption('Spend the budget without asking'),
    }),
    ...inGroup(positionals, {
      scenario: textOption('Take target, keys, headers and prices from this scenario file'),
    }),
    ...targetOptions,
    ...inGroup('Target:', {
      key: textOption('Environment variable with the key [WEIR_API_KEY]'),
      model: textOption('Chat model [the first of the list]'),
      ...preflightOption,
    }),
    ...inGroup('Output:', {
      out: textOption('Folder for cache.json and cache.html [reports/TIME-cache]'),
    }),
  },
  schema: {
    path: 'reports/cache.schema.json',
    make: async () => (await import('../model/cache-report.ts')).cacheJsonSchema(),
  },
  run: async (given) => {
    checkKeyName('key', given.key);
    const { examinePromptCache } = await import('../cache.ts');
    return examinePromptCache({ ...given, secondKey: undefined }, terminalHost(given));
  },
});
