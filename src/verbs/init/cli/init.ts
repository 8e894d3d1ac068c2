import {
  defineVerb,
  inGroup,
  positionals,
  preflightOption,
  textOption,
} from '../../../cli/options/define-verb.ts';
import { terminalHost } from '../../../cli/options/terminal-host.ts';

export const initVerb = defineVerb({
  options: {
    ...inGroup(positionals, {
      target: { ...textOption('Base address (https://host/v1), or `mock`'), demandOption: true },
    }),
    model: textOption('Model of the scenario [chosen from the list, or its first]'),
    ...preflightOption,
    key: textOption('Environment variable that contains the key [WEIR_API_KEY]'),
    out: { ...textOption('File to write; it must not exist'), default: 'weir.yaml' },
  },
  run: async ({ target, model, preflight, key = 'WEIR_API_KEY', out }) => {
    const { writeStarterScenario } = await import('../init.ts');
    const host = terminalHost();
    const chat = await writeStarterScenario({ target, model, preflight, key, out }, host);
    const text = `${out}: sends requests to ${chat}. \`weir plan ${out}\` forecasts it, \`weir run ${out}\` runs it.`;
    host.printer.print({ text: () => text });
    return 'pass';
  },
});
