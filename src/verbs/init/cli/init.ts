import {
  defineVerb,
  inGroup,
  positionals,
  preflightOption,
  textOption,
  UsageProblem,
} from '../../../cli/options/define-verb.ts';
import { terminalHost } from '../../../cli/options/terminal-host.ts';

export const initVerb = defineVerb({
  options: {
    ...inGroup(positionals, {
      target: textOption('Base address (https://host/v1), or `mock` [asked for at a terminal]'),
    }),
    model: textOption('Model of the scenario [chosen from the list, or its first]'),
    ...preflightOption,
    key: textOption('Environment variable that contains the key [WEIR_API_KEY]'),
    prices: textOption('File with prices to take those of the models from, also LiteLLM’s table'),
    out: { ...textOption('File to write; it must not exist'), default: 'weir.yaml' },
  },
  run: async ({ key = 'WEIR_API_KEY', out, ...given }) => {
    const host = terminalHost();
    if (given.target === undefined && host.ask === null)
      throw new UsageProblem('weir init: expected the base address of a gateway, got nothing');
    const { writeStarterScenario } = await import('../init.ts');
    const chat = await writeStarterScenario({ ...given, key, out }, host);
    const text = `${out}: sends requests to ${chat}. \`weir plan ${out}\` forecasts it, \`weir run ${out}\` runs it.`;
    host.printer.print({ text: () => text });
    return 'pass';
  },
});
