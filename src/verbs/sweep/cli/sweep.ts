import type { PlanSource } from '../../../run/input/read-plan.ts';
import { countFrom } from '../../../cli/options/compare-options.ts';
import {
  defineVerb,
  inGroup,
  listOption,
  preflightOption,
  switchOption,
  textOption,
} from '../../../cli/options/define-verb.ts';
import { outputOptions } from '../../../cli/options/output-options.ts';
import { planSourceFrom, scenarioOptions } from '../../../cli/options/scenario-options.ts';
import { terminalHost } from '../../../cli/options/terminal-host.ts';

const wanted =
  'a scenario file, or --model with --rate and --duration (or --users) in its place, and --vary';

/** Adds a placeholder load if the sweep varies the load, so that the command line needs no load. */
export const withLoad = (source: PlanSource, vary: readonly string[]): PlanSource => {
  const { scenario, flags } = source;
  if (scenario !== undefined) return source;
  const varies = (field: string): boolean => vary.some((each) => each.startsWith(`load.${field}=`));
  const users = flags.users ?? (varies('users') ? '1' : undefined);
  const rate = flags.rate ?? (varies('rate') ? '1/s' : undefined);
  return { ...source, flags: { ...flags, users, rate } };
};

export const sweepVerb = defineVerb({
  options: {
    ...scenarioOptions,
    ...outputOptions,
    ...inGroup('Sweep:', {
      vary: listOption(
        'A field and its values: load.users=1,2,4 or prompt.tokens=100..1600*2; repeatable',
      ),
      repeat: textOption('Runs of each point [1]'),
      pause: textOption(
        'Wait between two runs [60s where limits are declared, none against `mock`]',
      ),
      throughput: textOption(
        'More of it is better: completedRate, outputTokenRate, inputTokenRate',
      ),
      latency: textOption('Less of it is better: a percentile such as ttft.p95 or endToEnd.p50'),
      'answer-time': textOption(
        'Assumed time per answer in the budget, where users wait for it [1s]',
      ),
      ...preflightOption,
      yes: switchOption('Spend the budget without asking'),
    }),
    ...inGroup('Output:', {
      out: textOption('Folder for the report and each run’s files [reports/TIME-sweep]'),
    }),
  },
  schema: {
    path: 'reports/sweep.schema.json',
    make: async () => (await import('../model/sweep.ts')).sweepJsonSchema(),
  },
  run: async (given) => {
    const source = withLoad(planSourceFrom(given, wanted), given.vary);
    const { sweep } = await import('../sweep.ts');
    return sweep({ ...given, source, repetitions: countFrom(given.repeat) }, terminalHost(given));
  },
});
