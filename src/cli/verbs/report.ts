import { extraReportsFrom, withReportOptions } from '../options/output-options.ts';
import { terminalHost } from '../options/terminal-host.ts';
import type { AddVerb } from '../options/verbs.ts';

export const addReport: AddVerb = (cli, ended) =>
  cli.command(
    'report <result>',
    'Write the reports of a stored result again',
    (builder) =>
      withReportOptions(builder)
        .positional('result', {
          type: 'string',
          demandOption: true,
          describe: 'A result.json, the checkpoint.jsonl of a killed run, or the folder of either',
        })
        .option('out', {
          type: 'string',
          group: 'Output:',
          describe: 'Folder for the reports [that of the result]',
        }),
    async (given) => {
      const { reportStored } = await import('../../run/series/stored-runs.ts');
      const { result, out } = given;
      ended(await reportStored(result, out, extraReportsFrom(given), terminalHost(given)));
    },
  );
