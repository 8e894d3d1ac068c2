import { importKinds, type ImportKind } from '../readers/import-kinds.ts';
import { defineVerb, inGroup, positionals, textOption } from '../../../cli/options/define-verb.ts';
import { terminalHost } from '../../../cli/options/terminal-host.ts';

export const importVerb = defineVerb({
  takesCommand: true,
  options: {
    ...inGroup(positionals, {
      file: textOption(
        'The other tool’s file, or - for standard input; or a command line behind --',
      ),
    }),
    from: {
      choices: Object.keys(importKinds) as ImportKind[],
      describe: 'The tool [recognised by the content]',
    },
    out: textOption('File to write; it must not exist [standard output]'),
    into: textOption('Scenario to print with the objectives of k6’s thresholds in it'),
    ...inGroup('As of vegeta attack:', {
      rate: textOption('Rate of the targets, for example 50/s [1/s]'),
      duration: textOption('How long, for example 30s [60s]'),
    }),
  },
  run: async (given) => {
    const { importFile } = await import('../import.ts');
    const { '--': command = [] } = given as { readonly '--'?: readonly string[] };
    return importFile({ ...given, command: command.map(String) }, terminalHost());
  },
});
