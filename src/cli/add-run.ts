import type { Argv } from 'yargs';
import { consentOption } from './add-planning.ts';
import { captureOption } from './capture-options.ts';
import { repetitionOptions, repetitionsFrom } from './compare-options.ts';
import type { ExitName } from './exit-codes.ts';
import { historyOption, keepingFrom } from './history-options.ts';
import { watcherOptions, watchersFrom } from './watcher-options.ts';
import { scenarioOptions, sliceFrom, sourceFrom } from './options.ts';
import { reportOptions } from './report-options.ts';

/** `weir run`, once or by repetitions. */
export const addRun = (cli: Argv, ended: (exit: ExitName) => void): Argv =>
  cli.command(
    'run [scenario]',
    'Run a scenario and leave a report',
    (builder) =>
      historyOption(repetitionOptions(reportOptions(consentOption(scenarioOptions(builder)))))
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
        .options({ capture: captureOption, ...watcherOptions })
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
      const repetitions = repetitionsFrom(given);
      const order = {
        source: sourceFrom(given),
        out: given.out,
        observations: given.observations,
        capture: given.capture,
        watchers: watchersFrom(given),
        slice: sliceFrom(given.slice),
        runId: given.runId,
        yes: given.yes,
        ...keepingFrom(given),
      };
      if (repetitions === null) {
        const { run } = await import('./run.ts');
        ended(await run(order));
      } else {
        const { repeat } = await import('./repeat.ts');
        ended(await repeat({ ...order, ...repetitions }));
      }
    },
  );
