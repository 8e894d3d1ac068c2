import { comparisonOptions, sidesFrom } from '../../../cli/options/compare-options.ts';
import {
  defineVerb,
  inGroup,
  positionals,
  severalOption,
  switchOption,
  textOption,
} from '../../../cli/options/define-verb.ts';
import { jobSummaryPath, outputOptions } from '../../../cli/options/output-options.ts';
import { terminalHost } from '../../../cli/options/terminal-host.ts';

export const compareVerb = defineVerb({
  options: {
    ...outputOptions,
    ...comparisonOptions,
    ...inGroup(positionals, {
      base: {
        ...severalOption('Result files, folders of runs, or folders of runs with --repeat'),
        demandOption: true,
      },
    }),
    ...inGroup('Comparison:', {
      with: severalOption('The runs of the new side; all paths before it are the base'),
      self: switchOption('Compare the runs with each other: how much they differ by themselves'),
    }),
    ...inGroup('Output:', {
      out: textOption('Folder for the comparison’s files [reports/TIME-comparison]'),
    }),
  },
  run: async (given) => {
    const request = { ...given, ...sidesFrom(given), jobSummary: jobSummaryPath() };
    const { checksAmong, compareStoredChecks } =
      await import('../../check/compare-stored-checks.ts');
    const checks = await checksAmong(request);
    if (checks !== null) return compareStoredChecks(checks, request, terminalHost(given));
    const { compareStored } = await import('../compare-stored.ts');
    return compareStored(request, terminalHost(given));
  },
});
