import { checkProfiles, checkTopics, namedTopics } from '../model/check-choices.ts';
import {
  defineVerb,
  inGroup,
  listOption,
  positionals,
  preflightOption,
  switchOption,
  textOption,
} from '../../../cli/options/define-verb.ts';
import { checkKeyName } from '../../../cli/options/key-name.ts';
import { jobSummaryPath, outputOptions } from '../../../cli/options/output-options.ts';
import { terminalHost } from '../../../cli/options/terminal-host.ts';

export const interfaceVerb = defineVerb({
  options: {
    ...outputOptions,
    ...inGroup('Checks:', {
      profile: textOption(
        `Server whose known gaps are set apart from what it breaks: ${checkProfiles.join(', ')} [spec]`,
      ),
      'header-family': textOption(
        'Family of limit headers that the gateway has, such as openai [the interface’s]',
      ),
      only: textOption(
        `Checks or topics, separated by commas: ${checkTopics.join(', ')}; and only if named: ${namedTopics.join(', ')}`,
      ),
      skip: textOption('Checks or topics to leave out'),
      cost: {
        type: 'boolean',
        default: true,
        describe:
          'Send what is paid for; --no-cost sends only what a gateway has to refuse or gives free',
      },
      timeout: textOption('The most that one answer may take [45s]'),
      strict: switchOption('Exit 10 for known deviations, too'),
      yes: switchOption('Spend the budget without asking'),
    }),
    ...inGroup(positionals, {
      scenario: textOption('Take target, key and headers from this scenario file'),
    }),
    ...inGroup('Target:', {
      target: textOption(
        'Base address (https://host/v1), or `mock` for the embedded reference gateway',
      ),
      key: textOption('Environment variable with the key [WEIR_API_KEY]'),
      ...preflightOption,
      model: textOption('Chat model [the first of the list]'),
      voice: textOption('Voice for speech [Emily.wav]'),
      'speech-model': textOption('Text-to-speech model [by its name in the list]'),
      'transcription-model': textOption('Speech-to-text model [by its name in the list]'),
      tokenizer: textOption('Tokenizer of the chat model, for usage: tokenizer.json or o200k_base'),
      direct: textOption('Base address of the model without the gateway, for usage'),
      'direct-key': textOption('Environment variable with its key [that of --key]'),
      'direct-model': textOption('Name of the chat model there [that of --model]'),
      set: listOption('Override a field of the scenario: --set mock.limits.profile=litellm'),
      'allow-files': switchOption('Let the scenario name files outside its folder'),
    }),
    ...inGroup('Output:', {
      details: switchOption('Print every check, not only the findings'),
      out: textOption(
        'Folder for check.json, check.html, check.junit.xml and check.md [reports/TIME-check]',
      ),
    }),
  },
  schema: {
    path: 'reports/check.schema.json',
    make: async () => (await import('../model/check-report.ts')).checkJsonSchema(),
  },
  run: async (given) => {
    checkKeyName('key', given.key);
    const { checkGateway } = await import('../check.ts');
    const command = { ...given, noCost: !given.cost, jobSummary: jobSummaryPath() };
    return checkGateway(command, terminalHost(given));
  },
});
