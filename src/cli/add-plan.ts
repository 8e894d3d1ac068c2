import type { Argv } from 'yargs';
import type { ExitName } from './exit-codes.ts';
import { once, scenarioOptions, sourceFrom } from './options.ts';

/** The verbs that come before a run: they send nothing of it. */
export const addPlan = (cli: Argv, ended: (exit: ExitName) => void): Argv =>
  cli.command(
    'plan [scenario]',
    'Tell what a scenario will take, and send nothing',
    (builder) =>
      scenarioOptions(builder).options({
        'answer-time': {
          type: 'string',
          group: 'Scenario:',
          describe: 'How long an answer takes, where users wait for theirs [1s]',
        },
        json: {
          type: 'boolean',
          default: false,
          group: 'Output:',
          describe: 'Print the forecast as JSON',
        },
      }),
    async (given) => {
      const { plan } = await import('./plan.ts');
      ended(
        await plan(sourceFrom(given), { answerTime: once(given.answerTime), json: given.json }),
      );
    },
  );
