import { defineVerb, positionals, switchOption } from '../options/define-verb.ts';
import { terminalHost } from '../options/terminal-host.ts';

export const schemaVerb = defineVerb({
  options: {
    subject: {
      choices: ['scenario', 'result', 'check', 'sweep', 'capacity'],
      default: 'scenario',
      group: positionals,
    },
    write: { ...switchOption('Write all to their places in a checkout'), hidden: true },
  },
  run: async ({ subject, write }) => {
    const { schemaText, writeSchemas } = await import('../../run/output/schemas.ts');
    const { printer } = terminalHost();
    if (write) await writeSchemas(printer.say);
    else printer.print({ text: () => schemaText(subject) });
    return 'pass';
  },
});
