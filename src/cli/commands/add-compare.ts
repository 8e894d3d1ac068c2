import type { Argv } from 'yargs';
import { comparisonCriteriaFrom, comparisonOptions } from '../options/compare-options.ts';
import type { ExitName } from '../../run/output/exit-codes.ts';
import { UsageProblem } from '../options/scenario-options.ts';
import { withOutputOptions } from '../options/output-options.ts';

/** The verb `compare`. */
export const addCompare = (cli: Argv, ended: (exit: ExitName) => void): Argv =>
  cli.command(
    'compare <base..>',
    'Hold stored runs against others: compare BASE NEW, or BASE… --with NEW…',
    (builder) =>
      comparisonOptions(withOutputOptions(builder))
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
      const { compare, compareSelf, sidesFrom } = await import('../verbs/compare.ts');
      const request = {
        ...comparisonCriteriaFrom(given),
        out: given.out,
        json: given.json,
        quiet: given.quiet,
      };
      if (!given.self) ended(await compare({ ...sidesFrom(given.base, given.with), ...request }));
      else if (given.with.length === 0) ended(await compareSelf({ base: given.base, ...request }));
      else throw new UsageProblem('--self: expected one side of runs; got another, --with');
    },
  );
