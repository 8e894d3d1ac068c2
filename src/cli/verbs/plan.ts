import { defineVerb, inGroup, switchOption, textOption } from '../options/define-verb.ts';
import { planSourceFrom, scenarioOptions } from '../options/scenario-options.ts';
import { terminalHost } from '../options/terminal-host.ts';

export const planVerb = defineVerb({
  options: {
    ...scenarioOptions,
    ...inGroup('Scenario:', {
      'answer-time': textOption('Assumed time per answer, for loads whose users wait for it [1s]'),
    }),
    ...inGroup('Output:', {
      json: switchOption('Print the forecast as JSON'),
    }),
  },
  run: async (given) => {
    const { printForecast } = await import('../../run/forecast.ts');
    await printForecast(planSourceFrom(given), given.answerTime, terminalHost(given));
    return 'pass';
  },
});
