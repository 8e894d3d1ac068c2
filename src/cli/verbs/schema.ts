import { terminalHost } from '../options/terminal-host.ts';
import type { AddVerb } from '../options/verbs.ts';

export const addSchema: AddVerb = (cli, ended) =>
  cli.command(
    'schema [subject]',
    'Print the JSON Schema of scenario files or results',
    (builder) =>
      builder
        .positional('subject', {
          choices: ['scenario', 'result'] as const,
          default: 'scenario' as const,
        })
        .option('write', {
          type: 'boolean',
          default: false,
          hidden: true,
          describe: 'Write both to their places in a checkout',
        }),
    async ({ subject, write }) => {
      const { schemaText, writeSchemas } = await import('../../run/output/schemas.ts');
      const { printer } = terminalHost();
      if (write) await writeSchemas(printer.say);
      else printer.print({ json: '', text: () => schemaText(subject) });
      ended('pass');
    },
  );
