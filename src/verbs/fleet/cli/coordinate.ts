import { defineVerb, inGroup, switchOption, textOption } from '../../../cli/options/define-verb.ts';
import {
  extraReportsFrom,
  historyFrom,
  historyOption,
  reportOptions,
  strictOption,
} from '../../../cli/options/output-options.ts';
import { lengthFrom, onLostOption, rendezvousOptions } from './rendezvous-options.ts';
import {
  planSourceFrom,
  runIdFrom,
  scenarioOptions,
} from '../../../cli/options/scenario-options.ts';
import { liveOption, livePageFrom } from '../../../cli/options/page-options.ts';
import { sliceCountFrom } from '../../../cli/options/number-options.ts';
import { terminalHost } from '../../../cli/options/terminal-host.ts';

export const coordinateVerb = defineVerb({
  options: {
    ...scenarioOptions,
    ...reportOptions,
    ...strictOption,
    ...historyOption,
    ...liveOption,
    ...inGroup('Scenario:', {
      yes: switchOption('Run a plan even if it may exceed its budget or its pace'),
    }),
    ...inGroup('Output:', {
      out: textOption('Folder for result.json and report.html [reports/TIME-NAME]'),
    }),
    ...inGroup('Scale:', {
      ...rendezvousOptions('How long to wait for the workers [5m]'),
      slices: { ...textOption('How many workers share the load'), demandOption: true },
      ...onLostOption,
      silence: textOption(
        'How long without a sign of life until a worker or the coordinator is taken for gone [10s]',
      ),
      'run-id': textOption('First part of every request id [derived from the plan]'),
    }),
  },
  run: async (given) => {
    const host = terminalHost(given);
    const request = {
      source: planSourceFrom(given),
      slices: sliceCountFrom(given.slices),
      rendezvous: given.rendezvous,
      onLost: given.onLost,
      silence: lengthFrom('silence', given.silence, 10_000, 2000),
      wait: lengthFrom('wait', given.wait, 300_000),
      runId: runIdFrom(given.runId),
      out: given.out,
      extraReports: extraReportsFrom(given, given.out),
      history: historyFrom(given),
      yes: given.yes,
      strict: given.strict,
      live: livePageFrom({ ...given, open: false }, host.printer.warn),
    };
    const { coordinateOnce } = await import('../coordinate.ts');
    return (await coordinateOnce(request, host)).exit;
  },
});
