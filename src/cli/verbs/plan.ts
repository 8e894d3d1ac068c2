import { planSourceFrom, withScenarioOptions } from '../options/scenario-options.ts';
import { terminalHost } from '../options/terminal-host.ts';
import type { AddVerb } from '../options/verbs.ts';

export const addPlan: AddVerb = (cli, ended) =>
  cli.command(
    'plan [scenario]',
    'Forecast requests, tokens, cost and duration; sends nothing',
    (builder) =>
      withScenarioOptions(builder).options({
        'answer-time': {
          type: 'string',
          group: 'Scenario:',
          describe: 'Assumed time per answer, for loads whose users wait for it [1s]',
        },
        json: {
          type: 'boolean',
          default: false,
          group: 'Output:',
          describe: 'Print the forecast as JSON',
        },
      }),
    async (given) => {
      const { printForecast } = await import('../../run/forecast.ts');
      await printForecast(planSourceFrom(given), given.answerTime, terminalHost(given));
      ended('pass');
    },
  );
