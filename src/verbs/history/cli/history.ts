import { isBaselineName } from '../../../run/input/baseline-name.ts';
import {
  defineVerb,
  inGroup,
  positionals,
  severalOption,
  switchOption,
  textOption,
  UsageProblem,
} from '../../../cli/options/define-verb.ts';
import { terminalHost } from '../../../cli/options/terminal-host.ts';

const checkName = (name: string): void => {
  if (isBaselineName(name)) return;
  throw new UsageProblem(
    `baseline: expected a name of letters, digits, ., - and _ that is no number and no .json or .db file; got ${name}`,
  );
};

const baseline = defineVerb({
  options: {
    ...inGroup(positionals, {
      name: textOption('The name of the baseline'),
      runs: severalOption('Numbers of runs in the history, result files, or folders of runs'),
    }),
    delete: switchOption('Remove the baseline'),
  },
  run: async ({ name, runs, delete: isDeletion }) => {
    if (isDeletion && (name === undefined || runs.length > 0)) {
      throw new UsageProblem(
        `baseline --delete: expected the name of one baseline; got ${runs.length > 0 ? 'runs too' : 'none'}`,
      );
    }
    const { deleteBaseline, listBaselines, saveBaseline } = await import('../history.ts');
    const host = terminalHost();
    if (name !== undefined && isDeletion) await deleteBaseline(name, host);
    else if (name !== undefined && runs.length > 0) {
      checkName(name);
      await saveBaseline(name, runs.map(String), host);
    } else await listBaselines(name ?? null, host);
    return 'pass';
  },
});

export const historyVerb = defineVerb({
  subcommands: {
    'baseline [name] [runs..]': {
      summary:
        'Name runs as a baseline: NAME RUN…; without runs list baselines, or remove one with --delete',
      verb: baseline,
    },
  },
  options: {
    plan: textOption('Only runs of this plan: its name, or the start of its hash'),
    page: switchOption('Write a page of trends'),
    out: textOption('The page’s file [reports/history.html]'),
    json: switchOption('Print everything as JSON'),
  },
  run: async ({ plan, page, out, json }) => {
    const { listHistory } = await import('../history.ts');
    await listHistory({ plan, page: page || out !== undefined, out }, terminalHost({ json }));
    return 'pass';
  },
});
