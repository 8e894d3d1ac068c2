import type { Argv } from 'yargs';
import { yesOption } from './add-init-and-plan.ts';
import { captureOption } from '../options/capture-options.ts';
import { repetitionOptions, repetitionRequestFrom } from '../options/compare-options.ts';
import type { ExitName } from '../../run/output/exit-codes.ts';
import { historyOption, outputAndHistoryFrom } from '../options/history-options.ts';
import { liveMetricsOptions, metricsExportFrom } from '../options/live-metrics-options.ts';
import { withScenarioOptions, sliceFrom, planSourceFrom } from '../options/scenario-options.ts';
import { withReportOptions } from '../options/output-options.ts';

/** `weir run`, once or by repetitions. */
export const addRun = (cli: Argv, ended: (exit: ExitName) => void): Argv =>
  cli.command(
    'run [scenario]',
    'Run a scenario and leave a report',
    (builder) =>
      historyOption(repetitionOptions(withReportOptions(yesOption(withScenarioOptions(builder)))))
        .option('out', {
          type: 'string',
          group: 'Output:',
          describe: 'Folder for result.json and report.html [reports/TIME-NAME]',
        })
        .option('observations', {
          type: 'string',
          group: 'Output:',
          describe: 'Also write one JSON line for each request to this file',
        })
        .options({ capture: captureOption, ...liveMetricsOptions })
        .option('slice', {
          type: 'string',
          group: 'Scale:',
          describe: 'Run one slice of the plan, INDEX/COUNT; `weir merge` joins them',
        })
        .option('run-id', {
          type: 'string',
          group: 'Scale:',
          describe: 'First part of every request id [derived from the plan]',
        }),
    async (given) => {
      const repetitions = repetitionRequestFrom(given);
      const request = {
        source: planSourceFrom(given),
        out: given.out,
        observations: given.observations,
        capture: given.capture,
        metricsExport: metricsExportFrom(given),
        slice: sliceFrom(given.slice),
        runId: given.runId,
        yes: given.yes,
        ...outputAndHistoryFrom(given),
      };
      if (repetitions === null) {
        const { run } = await import('../../run/run.ts');
        ended(await run(request));
      } else {
        const { repeat } = await import('../../run/series/repeat.ts');
        ended(await repeat({ ...request, ...repetitions }));
      }
    },
  );
