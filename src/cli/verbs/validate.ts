import { defineVerb, inGroup, switchOption } from '../options/define-verb.ts';
import { planSourceFrom, scenarioOptions } from '../options/scenario-options.ts';
import { terminalHost } from '../options/terminal-host.ts';

export const validateVerb = defineVerb({
  options: {
    ...scenarioOptions,
    ...inGroup('Output:', { json: switchOption('Print the complete plan as JSON') }),
  },
  run: async (given) => {
    const { validate } = await import('../../run/validate.ts');
    await validate(planSourceFrom(given), terminalHost(given));
    return 'pass';
  },
});
