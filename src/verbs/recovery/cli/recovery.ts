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

export const recoveryVerb = defineVerb({
  options: {
    ...outputOptions,
    ...inGroup('Recovery:', {
      policies: textOption('How clients retry: some of none,retry-after,backoff [all]'),
      times: textOption('The rate of the overload, in rates of the scenario [3]'),
      base: textOption('How long the load is sent before the overload [30s]'),
      overload: textOption('How long the overload lasts [10s]'),
      watch: textOption('How long the load is sent after the overload [90s]'),
      pause: textOption('How long nothing is sent before the next policy [30s]'),
      within: textOption('A request is good if it is answered within [three times the p95 before]'),
      requests: textOption('The most requests to send [as planned]'),
      yes: switchOption('Spend the budget without asking'),
    }),
    ...inGroup(positionals, {
      scenario: textOption('Scenario file with one load'),
    }),
    ...targetOptions,
    ...inGroup('Output:', {
      out: textOption(
        'Folder for recovery.json, recovery.html and the run [reports/TIME-recovery]',
      ),
    }),
  },
  schema: {
    path: 'reports/recovery.schema.json',
    make: async () => (await import('../model/recovery-report.ts')).recoveryJsonSchema(),
  },
  run: async (given) => {
    const source = scenarioSourceFrom(given, 'with one load, such as scenarios/recovery.yaml');
    const { examineRecovery } = await import('../recovery.ts');
    return examineRecovery({ ...given, source }, terminalHost(given));
  },
});
