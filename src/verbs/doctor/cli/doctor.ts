import {
  defineVerb,
  inGroup,
  listOption,
  positionals,
  switchOption,
  textOption,
  UsageProblem,
} from '../../../cli/options/define-verb.ts';
import { checkKeyName } from '../../../cli/options/key-name.ts';
import { outputOptions } from '../../../cli/options/output-options.ts';
import { terminalHost } from '../../../cli/options/terminal-host.ts';

export const doctorVerb = defineVerb({
  options: {
    ...outputOptions,
    ...inGroup(positionals, {
      scenario: textOption('Take target, keys and headers from this scenario file'),
    }),
    ...inGroup('Target:', {
      target: textOption('Base address (https://host/v1), or `mock`; without one, none is asked'),
      key: textOption('Environment variable with the key [WEIR_API_KEY]'),
      set: listOption('Override a field of the scenario: --set wire.verifyTls=false'),
      'allow-files': switchOption('Let the scenario name files outside its folder'),
    }),
  },
  run: async (given) => {
    checkKeyName('key', given.key);
    if (given.key !== undefined && given.target === undefined && given.scenario === undefined)
      throw new UsageProblem(
        '--key: nothing is asked without a target: add --target https://host/v1',
      );
    const { diagnose } = await import('../doctor.ts');
    return diagnose({ ...given, secondKey: undefined }, terminalHost(given));
  },
});
