import { terminalHost } from '../options/terminal-host.ts';
import type { AddVerb } from '../options/verbs.ts';

export const addInit: AddVerb = (cli, ended) =>
  cli.command(
    'init <target>',
    'Read the models of a gateway and write a first scenario for it',
    (builder) =>
      builder
        .positional('target', {
          type: 'string',
          demandOption: true,
          describe: 'Base address (https://host/v1), or `mock`',
        })
        .options({
          model: {
            type: 'string',
            describe: 'Model of the scenario [chosen from the list, or its first]',
          },
          key: {
            type: 'string',
            describe: 'Environment variable that contains the key [WEIR_API_KEY]',
          },
          out: {
            type: 'string',
            default: 'weir.yaml',
            describe: 'File to write; it must not exist',
          },
        }),
    async ({ target, model, key = 'WEIR_API_KEY', out }) => {
      const { writeStarterScenario } = await import('../../run/examine/init.ts');
      const host = terminalHost();
      const chat = await writeStarterScenario({ target, model, key, out }, host);
      const text = `${out}: sends requests to ${chat}. \`weir plan ${out}\` forecasts it, \`weir run ${out}\` runs it.`;
      host.printer.print({ json: '', text: () => text });
      ended('pass');
    },
  );
