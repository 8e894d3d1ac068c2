import { captureModes } from '../../run/input/run-request.ts';
import { repetitionOptions, repetitionRequestFrom } from '../options/compare-options.ts';
import { liveMetricsOptions, metricsExportFrom } from '../options/live-metrics-options.ts';
import {
  extraReportsFrom,
  historyFrom,
  withHistoryOption,
  withReportOptions,
} from '../options/output-options.ts';
import { planSourceFrom, sliceFrom, withScenarioOptions } from '../options/scenario-options.ts';
import { terminalHost } from '../options/terminal-host.ts';
import type { AddVerb } from '../options/verbs.ts';

const runOptions = {
  yes: {
    type: 'boolean',
    default: false,
    group: 'Scenario:',
    describe: 'Run a plan even if it may exceed its budget or its pace',
  },
  out: {
    type: 'string',
    group: 'Output:',
    describe: 'Folder for result.json and report.html [reports/TIME-NAME]',
  },
  observations: {
    type: 'string',
    group: 'Output:',
    describe: 'Also write one JSON line for each request to this file',
  },
  capture: {
    choices: captureModes,
    group: 'Output:',
    describe: 'Also keep bodies in capture.jsonl, prompts included; keys are masked',
  },
  ...liveMetricsOptions,
  slice: {
    type: 'string',
    group: 'Scale:',
    describe: 'Run one slice of the plan, INDEX/COUNT; `weir merge` joins them',
  },
  'run-id': {
    type: 'string',
    group: 'Scale:',
    describe: 'First part of every request id [derived from the plan]',
  },
} as const;

/** `weir run`, once or repeatedly. */
export const addRun: AddVerb = (cli, ended) =>
  cli.command(
    'run [scenario]',
    'Run a scenario and write a report',
    (builder) =>
      withHistoryOption(repetitionOptions(withReportOptions(withScenarioOptions(builder)))).options(
        runOptions,
      ),
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
        extraReports: extraReportsFrom(given),
        history: historyFrom(given),
      };
      const host = terminalHost(given);
      if (repetitions === null) {
        const { runOnce } = await import('../../run/run.ts');
        ended((await runOnce(request, host)).exit);
      } else {
        const { repeat } = await import('../../run/series/repeat.ts');
        ended(await repeat({ ...request, ...repetitions, printEach: given.json }, host));
      }
    },
  );
