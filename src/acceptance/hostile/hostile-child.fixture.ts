import { bareRequest } from '../../run/input/run-request.ts';
import { runOnce } from '../../run/run.ts';
import type { ScenarioInput } from '../../library/library.ts';

/** Makes hostile runs in a separate process, so that their memory can be measured. Receives the runs as messages. */

export interface ChildRun {
  readonly scenario: ScenarioInput;
  /** The file for its observations. */
  readonly observations: string;
}

export interface ChildReport {
  /** The sum of all outcomes of each run, and how many requests were due. */
  readonly runs: readonly { readonly outcomes: number; readonly due: number }[];
  /** In bytes. */
  readonly peakMemory: number;
}

const silent = {
  say: () => undefined,
  warn: () => undefined,
  print: () => undefined,
  listFiles: () => undefined,
  close: () => undefined,
  screen: null,
};

const host = {
  environment: { WEIR_API_KEY: 'sk-hostile', WEIR_HISTORY: 'off' },
  printer: silent,
  onStop: () => () => undefined,
  ask: null,
};

const performRun = async ({ scenario, observations }: ChildRun) => {
  const { result } = await runOnce(
    {
      ...bareRequest,
      source: { scenario: undefined, value: scenario, flags: {}, set: [], target: undefined },
      observations,
      yes: true,
    },
    host,
  );
  return {
    outcomes: result.groups
      .flatMap((group) => Object.values(group.outcomes))
      .reduce((sum, count) => sum + count, 0),
    due: result.timeline.reduce((sum, { due }) => sum + due, 0),
  };
};

process.once('message', (message) => {
  void (async () => {
    const runs = [];
    for (const each of message as readonly ChildRun[]) runs.push(await performRun(each));
    const report: ChildReport = { runs, peakMemory: process.resourceUsage().maxRSS * 1024 };
    process.send?.(report);
    process.disconnect();
  })();
});
