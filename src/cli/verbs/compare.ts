import {
  comparisonCriteriaFrom,
  comparisonOptions,
  sidesFrom,
} from '../options/compare-options.ts';
import { jobSummaryPath, withOutputOptions } from '../options/output-options.ts';
import { terminalHost } from '../options/terminal-host.ts';
import type { AddVerb } from '../options/verbs.ts';

export const addCompare: AddVerb = (cli, ended) =>
  cli.command(
    'compare <base..>',
    'Compare stored runs: compare BASE NEW, or BASE… --with NEW…',
    (builder) =>
      comparisonOptions(withOutputOptions(builder))
        .positional('base', {
          type: 'string',
          array: true,
          demandOption: true,
          describe: 'Result files, folders of runs, or folders of runs with --repeat',
        })
        .option('with', {
          type: 'string',
          array: true,
          default: [] as string[],
          group: 'Comparison:',
          describe: 'The runs of the new side; all paths before it are the base',
        })
        .option('self', {
          type: 'boolean',
          default: false,
          group: 'Comparison:',
          describe: 'Compare the runs with each other: how much they differ by themselves',
        })
        .option('out', {
          type: 'string',
          group: 'Output:',
          describe: 'Folder for the comparison’s files [reports/TIME-comparison]',
        }),
    async (given) => {
      const request = {
        ...comparisonCriteriaFrom(given),
        ...sidesFrom(given),
        out: given.out,
        jobSummary: jobSummaryPath(),
      };
      const { compareStored } = await import('../../run/series/stored-runs.ts');
      ended(await compareStored(request, terminalHost(given)));
    },
  );
