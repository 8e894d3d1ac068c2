import { defineVerb, inGroup, positionals, textOption } from '../options/define-verb.ts';
import { extraReportsFrom, reportOptions } from '../options/output-options.ts';
import { terminalHost } from '../options/terminal-host.ts';

export const reportVerb = defineVerb({
  options: {
    ...reportOptions,
    ...inGroup(positionals, {
      result: {
        ...textOption(
          'A result.json, the checkpoint.jsonl of a killed run, or the folder of either',
        ),
        demandOption: true,
      },
    }),
    ...inGroup('Output:', {
      out: textOption('Folder for the reports [that of the result]'),
    }),
  },
  run: async (given) => {
    const { reportStored } = await import('../../run/series/stored-runs.ts');
    const { result, out } = given;
    return reportStored(result, out, extraReportsFrom(given), terminalHost(given));
  },
});
