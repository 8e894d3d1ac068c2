import { planSourceFrom, withScenarioOptions } from '../options/scenario-options.ts';
import { terminalHost } from '../options/terminal-host.ts';
import type { AddVerb } from '../options/verbs.ts';

export const addValidate: AddVerb = (cli, ended) =>
  cli.command(
    'validate [scenario]',
    'Check a scenario and list everything wrong with it',
    (builder) =>
      withScenarioOptions(builder).option('json', {
        type: 'boolean',
        default: false,
        group: 'Output:',
        describe: 'Print the complete plan as JSON',
      }),
    async (given) => {
      const { validate } = await import('../../run/validate.ts');
      await validate(planSourceFrom(given), terminalHost(given));
      ended('pass');
    },
  );
