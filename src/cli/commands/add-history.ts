import type { Argv } from 'yargs';
import type { ExitName } from '../../run/output/exit-codes.ts';

const addBaseline = (cli: Argv, ended: (exit: ExitName) => void): Argv =>
  cli.command(
    'baseline [name] [runs..]',
    'Name runs as a baseline: NAME RUN…; without runs list them, or forget one with --delete',
    (builder) =>
      builder
        .positional('name', { type: 'string', describe: 'What the baseline is called' })
        .positional('runs', {
          type: 'string',
          array: true,
          default: [] as string[],
          describe: 'Numbers of runs in the history, result files, or folders of runs',
        })
        .option('delete', { type: 'boolean', default: false, describe: 'Forget the baseline' }),
    async (given) => {
      const { baseline } = await import('../verbs/baseline.ts');
      ended(
        await baseline({
          name: given.name,
          runs: given.runs.map(String),
          isDeletion: given.delete,
        }),
      );
    },
  );

/** The verb `history`. */
export const addHistory = (cli: Argv, ended: (exit: ExitName) => void): Argv =>
  cli.command(
    'history',
    'List the runs that were made here, how their figures went, and name baselines',
    (builder) =>
      addBaseline(builder, ended).options({
        plan: {
          type: 'string',
          describe: 'Only runs of this plan: its name, or how its hash begins',
        },
        page: { type: 'boolean', default: false, describe: 'Write a page of trends' },
        out: { type: 'string', describe: 'The page’s file [reports/history.html]' },
        json: { type: 'boolean', default: false, describe: 'Print everything as JSON' },
      }),
    async (given) => {
      const { history } = await import('../verbs/history.ts');
      ended(
        await history({
          plan: given.plan,
          page: given.page || given.out !== undefined,
          out: given.out,
          json: given.json,
        }),
      );
    },
  );
