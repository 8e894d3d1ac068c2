import { captureModes } from '../../run/input/run-request.ts';
import { repetitionOptions, repetitionRequestFrom } from '../options/compare-options.ts';
import {
  defineVerb,
  inGroup,
  switchOption,
  textOption,
  UsageProblem,
} from '../options/define-verb.ts';
import { liveMetricsOptions, metricsExportFrom } from '../options/live-metrics-options.ts';
import {
  extraReportsFrom,
  historyFrom,
  historyOption,
  reportOptions,
  requestsOption,
} from '../options/output-options.ts';
import { liveOption, livePageFrom, openOption, openReport } from '../options/page-options.ts';
import {
  planSourceFrom,
  runIdFrom,
  scenarioOptions,
  sliceFrom,
  startAtFrom,
} from '../options/scenario-options.ts';
import { terminalHost } from '../options/terminal-host.ts';

/** Throws a `UsageProblem` for an option that several runs cannot have. */
const rejectOptionsOfOneRun = ({
  slice,
  startAt,
  live,
  open,
}: Readonly<Record<'slice' | 'startAt' | 'live', string | undefined>> & {
  readonly open: boolean;
}): void => {
  const given = { slice, 'start-at': startAt, live, open: open ? '' : undefined };
  const first = Object.entries(given).find(([, value]) => value !== undefined);
  if (first === undefined) return;
  throw new UsageProblem(
    `--${first[0]}: expected one run, got several: it belongs to one run, so leave --repeat and comparisons out`,
  );
};

export const runVerb = defineVerb({
  options: {
    ...scenarioOptions,
    ...reportOptions,
    ...requestsOption,
    ...repetitionOptions,
    ...historyOption,
    ...inGroup('Scenario:', {
      yes: switchOption('Run a plan even if it may exceed its budget or its pace'),
      'key-check': {
        type: 'boolean',
        default: true,
        describe: 'List the models with each key before the load; disable with --no-key-check',
      },
    }),
    ...inGroup('Output:', {
      out: textOption('Folder for result.json and report.html [reports/TIME-NAME]'),
      observations: textOption('Also write one JSON line for each request to this file'),
      capture: {
        choices: captureModes,
        describe: 'Also keep bodies in capture.jsonl, prompts included; keys are masked',
      },
    }),
    ...liveMetricsOptions,
    ...liveOption,
    ...openOption,
    ...inGroup('Scale:', {
      slice: textOption(
        'Run one slice of the plan, INDEX/COUNT, or auto under Kubernetes, Slurm, Swarm; `weir merge` joins them',
      ),
      'start-at': textOption('Begin the load at this instant, such as 2026-11-24T20:15:00Z'),
      'run-id': textOption('First part of every request id [derived from the plan]'),
    }),
  },
  run: async (given) => {
    const repetitions = repetitionRequestFrom(given);
    const host = terminalHost(given);
    const { warn } = host.printer;
    const request = {
      ...given,
      runId: runIdFrom(given.runId),
      source: planSourceFrom(given),
      metricsExport: metricsExportFrom(given),
      slice: sliceFrom(given.slice, process.env),
      startAt: startAtFrom(given.startAt),
      extraReports: extraReportsFrom(given, given.out),
      history: historyFrom(given),
      live: livePageFrom(given, warn),
    };
    if (repetitions !== null) {
      rejectOptionsOfOneRun(given);
      const { repeat } = await import('../../verbs/compare/repeat.ts');
      return repeat({ ...request, ...repetitions, printEach: given.json }, host);
    }
    const { runOnce } = await import('../../run/run.ts');
    const { exit, page } = await runOnce(request, host);
    if (given.open && page !== null && request.live === undefined) await openReport(page, warn);
    return exit;
  },
});
