import {
  extraReportsFrom,
  historyFrom,
  withHistoryOption,
  withReportOptions,
} from '../options/output-options.ts';
import { terminalHost } from '../options/terminal-host.ts';
import type { AddVerb } from '../options/verbs.ts';

export const addMerge: AddVerb = (cli, ended) =>
  cli.command(
    'merge <results..>',
    'Merge the results of the slices of one run',
    (builder) =>
      withHistoryOption(withReportOptions(builder))
        .positional('results', { type: 'string', array: true, demandOption: true })
        .option('out', {
          type: 'string',
          demandOption: true,
          group: 'Output:',
          describe: 'Folder for the merged result and its reports',
        }),
    async (given) => {
      const request = {
        results: given.results,
        out: given.out,
        extraReports: extraReportsFrom(given),
        history: historyFrom(given),
      };
      const { mergeStored } = await import('../../run/series/stored-runs.ts');
      ended(await mergeStored(request, terminalHost(given)));
    },
  );
