import type { Argv } from 'yargs';
import type { ExitName } from '../../run/output/exit-codes.ts';
import { withScenarioOptions, planSourceFrom } from '../options/scenario-options.ts';

/** The word of somebody who has seen the plan. */
export const yesOption = <T>(builder: Argv<T>) =>
  builder.option('yes', {
    type: 'boolean',
    default: false,
    group: 'Scenario:',
    describe: 'Run what may need more than its own budget, or more time than its pace has',
  });

const addInit = (cli: Argv, ended: (exit: ExitName) => void): Argv =>
  cli.command(
    'init <target>',
    'Ask a gateway for its models and write a first scenario for it',
    (builder) =>
      builder
        .positional('target', {
          type: 'string',
          demandOption: true,
          describe: 'Base address (https://host/v1), or `mock`',
        })
        .options({
          model: { type: 'string', describe: 'Model to ask for [asked for, or the first listed]' },
          key: {
            type: 'string',
            describe: 'Environment variable that holds the key [WEIR_API_KEY]',
          },
          out: {
            type: 'string',
            default: 'weir.yaml',
            describe: 'File to write; never over another',
          },
        }),
    async (given) => {
      const { init } = await import('../verbs/init.ts');
      ended(
        await init({
          target: given.target,
          model: given.model,
          key: given.key ?? 'WEIR_API_KEY',
          out: given.out,
        }),
      );
    },
  );

/** The verbs that come before a run: they send nothing of it. */
export const addInitAndPlan = (cli: Argv, ended: (exit: ExitName) => void): Argv =>
  addInit(cli, ended).command(
    'plan [scenario]',
    'Tell what a scenario will take, and send nothing',
    (builder) =>
      withScenarioOptions(builder).options({
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
      const { plan } = await import('../verbs/plan.ts');
      ended(await plan(planSourceFrom(given), { answerTime: given.answerTime, json: given.json }));
    },
  );
