import {
  defineVerb,
  inGroup,
  positionals,
  switchOption,
  textOption,
} from '../../../cli/options/define-verb.ts';
import { outputOptions } from '../../../cli/options/output-options.ts';
import { scenarioSourceFrom, targetOptions } from '../../../cli/options/target-options.ts';
import { terminalHost } from '../../../cli/options/terminal-host.ts';

export const fairnessVerb = defineVerb({
  options: {
    ...outputOptions,
    ...inGroup('Fairness:', {
      'quiet-population': textOption('The population that is measured [the first]'),
      noisy: textOption('The population that is the noise [the last]'),
      times: textOption(
        'Send this many times the noisy load, and it once in the blocks without [absent there]',
      ),
      pairs: textOption('Pairs of a block with and one without the noise [8]'),
      block: textOption('What is measured of each block [20s]'),
      settle: textOption('What is left out of each block before that [5s]'),
      figure: textOption('The figure to compare: ttft or endToEnd with p50 to p99 [ttft.p95]'),
      'max-moved': textOption('By how much the figure may rise [10%]'),
      requests: textOption('The most requests to send [as planned; 50000 where users wait]'),
      yes: switchOption('Spend the budget without asking'),
    }),
    ...inGroup(positionals, {
      scenario: textOption('Scenario file with populations'),
    }),
    ...targetOptions,
    ...inGroup('Output:', {
      out: textOption(
        'Folder for fairness.json, fairness.html and the run [reports/TIME-fairness]',
      ),
    }),
  },
  schema: {
    path: 'reports/fairness.schema.json',
    make: async () => (await import('../model/fairness-report.ts')).fairnessJsonSchema(),
  },
  run: async (given) => {
    const source = scenarioSourceFrom(
      given,
      'with two populations, such as scenarios/neighbours.yaml',
    );
    const { examineFairness } = await import('../fairness.ts');
    return examineFairness({ ...given, source }, terminalHost(given));
  },
});
