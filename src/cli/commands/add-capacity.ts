import type { Argv } from 'yargs';
import type { CapacityRequest } from '../verbs/capacity-request.ts';
import type { ExitName } from '../../run/output/exit-codes.ts';
import { withScenarioOptions, planSourceFrom } from '../options/scenario-options.ts';
import type { PlanSource } from '../../run/input/read-plan.ts';
import { withOutputOptions } from '../options/output-options.ts';

/** How the search goes, and what the answer is reckoned with. */
const searchOptions = <T>(builder: Argv<T>) =>
  builder
    .options({
      from: {
        type: 'string',
        array: true,
        default: [] as string[],
        describe: 'Answer from stored results, whose stages of constant rate are the steps',
      },
      think: {
        type: 'string',
        describe:
          'What a user waits between an answer and the next request [the scenario’s, or 20s]',
      },
      start: { type: 'string', describe: 'The first rate [1/s, less under low limits]' },
      top: {
        type: 'string',
        describe: 'The highest rate that is tried [what the limits allow, or 1000/s]',
      },
      precision: { type: 'string', default: '5%', describe: 'How narrow the answer is to be' },
      requests: { type: 'string', default: '50000', describe: 'The most requests of all steps' },
      time: { type: 'string', default: '30m', describe: 'The longest load of all steps together' },
      yes: { type: 'boolean', default: false, describe: 'Spend the budget without being asked' },
    })
    .group(['from', 'think', 'start', 'top', 'precision', 'requests', 'time', 'yes'], 'Search:');

/** The search has rates and lengths of its own; what stands in for a scenario has to name some. */
const withLoad = (source: PlanSource): PlanSource => {
  const { scenario, flags } = source;
  if (scenario !== undefined) return source;
  const isOpen = flags.users === undefined && flags.iterations === undefined;
  const load = {
    ...(isOpen ? { rate: flags.rate ?? '1/s' } : {}),
    duration: flags.duration ?? '10s',
  };
  return { ...source, flags: { ...flags, ...load } };
};

/** The verb `capacity`. */
export const addCapacity = (cli: Argv, ended: (exit: ExitName) => void): Argv =>
  cli.command(
    'capacity [scenario]',
    'Find the highest rate that keeps the objectives, and how many users and keys that is',
    (builder) =>
      searchOptions(withOutputOptions(withScenarioOptions(builder))).option('out', {
        type: 'string',
        group: 'Output:',
        describe: 'Folder for the answer’s files and each step’s result [reports/TIME-capacity]',
      }),
    async (given) => {
      const request: CapacityRequest = {
        source: given.from.length > 0 ? null : withLoad(planSourceFrom(given)),
        from: given.from,
        think: given.think,
        start: given.start,
        top: given.top,
        precision: given.precision,
        requests: given.requests,
        time: given.time,
        yes: given.yes,
        out: given.out,
        json: given.json,
        quiet: given.quiet,
      };
      const { capacity, capacityFrom } = await import('../verbs/capacity.ts');
      ended(
        await (request.source === null ? capacityFrom(request) : capacity(request, request.source)),
      );
    },
  );
