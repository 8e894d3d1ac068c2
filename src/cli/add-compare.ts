import type { Argv } from 'yargs';
import { comparisonFrom, comparisonOptions } from './compare-options.ts';
import type { ExitName } from './exit-codes.ts';
import { UsageProblem } from './options.ts';
import { tellingOptions } from './report-options.ts';

/** The verb `compare`. */
export const addCompare = (cli: Argv, ended: (exit: ExitName) => void): Argv =>
  cli.command(
    'compare <base..>',
    'Hold stored runs against others: compare BASE NEW, or BASE… --with NEW…',
    (builder) =>
      comparisonOptions(tellingOptions(builder))
        .positional('base', {
          type: 'string',
          array: true,
          demandOption: true,
          describe: 'Result files, folders of runs, or folders that --repeat left',
        })
        .option('with', {
          type: 'string',
          array: true,
          default: [] as string[],
          group: 'Comparison:',
          describe: 'The runs of the new side, where the paths before it are all of the base',
        })
        .option('self', {
          type: 'boolean',
          default: false,
          group: 'Comparison:',
          describe: 'Hold the runs against each other: how much they differ by themselves',
        })
        .option('out', {
          type: 'string',
          group: 'Output:',
          describe: 'Folder for the comparison’s files [reports/TIME-comparison]',
        }),
    async (given) => {
      const { compare, compareSelf, sidesFrom } = await import('./compare.ts');
      const order = {
        ...comparisonFrom(given),
        out: given.out,
        json: given.json,
        quiet: given.quiet,
      };
      if (!given.self) ended(await compare({ ...sidesFrom(given.base, given.with), ...order }));
      else if (given.with.length === 0) ended(await compareSelf({ base: given.base, ...order }));
      else throw new UsageProblem('--self: expected one side of runs; got another, --with');
    },
  );
