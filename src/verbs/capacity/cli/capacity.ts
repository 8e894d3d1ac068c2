import type { PlanSource } from '../../../run/input/read-plan.ts';
import {
  defineVerb,
  inGroup,
  preflightOption,
  severalOption,
  switchOption,
  textOption,
  UsageProblem,
} from '../../../cli/options/define-verb.ts';
import { outputOptions } from '../../../cli/options/output-options.ts';
import {
  givenFlags,
  planSourceFrom,
  scenarioOptions,
} from '../../../cli/options/scenario-options.ts';
import { terminalHost } from '../../../cli/options/terminal-host.ts';

const wanted =
  'a scenario file, --model for chats with a model, or --from with stored results (--target says where; capacity sets the rates)';

/** Adds a placeholder rate and duration if the flags set none, since the search sets both itself. */
const withLoad = (source: PlanSource): PlanSource => {
  const { scenario, flags } = source;
  if (scenario !== undefined) return source;
  const isOpen = flags.users === undefined && flags.iterations === undefined;
  const rate = isOpen ? (flags.rate ?? '1/s') : flags.rate;
  return { ...source, flags: { ...flags, rate, duration: flags.duration ?? '10s' } };
};

export const capacityVerb = defineVerb({
  options: {
    ...scenarioOptions,
    ...outputOptions,
    ...inGroup('Search:', {
      from: severalOption(
        'Answer from stored results: their stages of constant rate are the steps',
      ),
      think: textOption(
        'Think time between an answer and the next request [the scenario’s, or 20s]',
      ),
      start: textOption('The first rate [1/s, less under low limits]'),
      top: textOption('The highest rate to try [the limits’, or 1000/s]'),
      precision: textOption(
        'Relative precision of the answer [5%, or 10% where answers have objectives]',
      ),
      requests: { ...textOption('Maximum requests of all steps'), default: '50000' },
      time: { ...textOption('Maximum duration of all steps together'), default: '30m' },
      ...preflightOption,
      yes: switchOption('Spend the budget without asking'),
    }),
    ...inGroup('Output:', {
      out: textOption(
        'Folder for the answer’s files and each step’s result [reports/TIME-capacity]',
      ),
    }),
  },
  schema: {
    path: 'reports/capacity.schema.json',
    make: async () => (await import('../model/capacity.ts')).capacityJsonSchema(),
  },
  run: async (given) => {
    const { scenario } = given;
    const flags = [
      ...givenFlags(given),
      ...(['start', 'top', 'target', 'transport', 'workers'] as const).filter(
        (name) => given[name] !== undefined,
      ),
      ...(given.set.length > 0 ? ['set'] : []),
      ...(given.allowFiles ? ['allow-files'] : []),
    ];
    const ignored = [
      ...(scenario === undefined ? [] : [`the scenario ${scenario}`]),
      ...flags.map((name) => `--${name}`),
    ];
    if (given.from.length > 0 && ignored.length > 0) {
      throw new UsageProblem(
        `--from answers from stored results and sends nothing: leave ${ignored.join(', ')} out`,
      );
    }
    const source = given.from.length > 0 ? null : withLoad(planSourceFrom(given, wanted));
    const { findTargetCapacity } = await import('../capacity.ts');
    return findTargetCapacity({ ...given, source }, terminalHost(given));
  },
});
