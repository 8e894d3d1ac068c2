import { isBaselineName } from '../../run/input/baseline-runs.ts';
import { UsageProblem } from '../options/scenario-options.ts';
import { terminalHost } from '../options/terminal-host.ts';
import type { AddVerb } from '../options/verbs.ts';

const checkName = (name: string): void => {
  if (isBaselineName(name)) return;
  throw new UsageProblem(
    `baseline: expected a name of letters, digits, ., - and _ that is no number and no .json or .db file; got ${name}`,
  );
};

const addBaseline: AddVerb = (cli, ended) =>
  cli.command(
    'baseline [name] [runs..]',
    'Name runs as a baseline: NAME RUN…; without runs list baselines, or remove one with --delete',
    (builder) =>
      builder
        .positional('name', { type: 'string', describe: 'The name of the baseline' })
        .positional('runs', {
          type: 'string',
          array: true,
          default: [] as string[],
          describe: 'Numbers of runs in the history, result files, or folders of runs',
        })
        .option('delete', { type: 'boolean', default: false, describe: 'Remove the baseline' }),
    async ({ name, runs, delete: isDeletion }) => {
      if (isDeletion && (name === undefined || runs.length > 0)) {
        throw new UsageProblem(
          `baseline --delete: expected the name of one baseline; got ${runs.length > 0 ? 'runs too' : 'none'}`,
        );
      }
      const { deleteBaseline, listBaselines, saveBaseline } =
        await import('../../run/history/baseline.ts');
      const host = terminalHost();
      if (name !== undefined && isDeletion) await deleteBaseline(name, host);
      else if (name !== undefined && runs.length > 0) {
        checkName(name);
        await saveBaseline(name, runs.map(String), host);
      } else await listBaselines(name ?? null, host);
      ended('pass');
    },
  );

export const addHistory: AddVerb = (cli, ended) =>
  cli.command(
    'history',
    'List stored runs with the trends of their figures, and name baselines',
    (builder) =>
      addBaseline(builder, ended).options({
        plan: {
          type: 'string',
          describe: 'Only runs of this plan: its name, or the start of its hash',
        },
        page: { type: 'boolean', default: false, describe: 'Write a page of trends' },
        out: { type: 'string', describe: 'The page’s file [reports/history.html]' },
        json: { type: 'boolean', default: false, describe: 'Print everything as JSON' },
      }),
    async ({ plan, page, out, json }) => {
      const { listHistory } = await import('../../run/history/history.ts');
      await listHistory({ plan, page: page || out !== undefined, out }, terminalHost({ json }));
      ended('pass');
    },
  );
