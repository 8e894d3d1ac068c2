import {
  defineVerb,
  inGroup,
  positionals,
  severalOption,
  textOption,
} from '../../../cli/options/define-verb.ts';
import {
  extraReportsFrom,
  historyFrom,
  historyOption,
  reportOptions,
  strictOption,
} from '../../../cli/options/output-options.ts';
import { terminalHost } from '../../../cli/options/terminal-host.ts';

export const mergeVerb = defineVerb({
  options: {
    ...reportOptions,
    ...strictOption,
    ...historyOption,
    ...inGroup(positionals, {
      results: { ...severalOption(''), demandOption: true },
    }),
    ...inGroup('Output:', {
      out: { ...textOption('Folder for the merged result and its reports'), demandOption: true },
    }),
  },
  run: async (given) => {
    const { results, out, strict } = given;
    const extraReports = extraReportsFrom(given, out);
    const request = { results, out, extraReports, history: historyFrom(given), strict };
    const { mergeStored } = await import('../merge-stored.ts');
    return mergeStored(request, terminalHost(given));
  },
});
