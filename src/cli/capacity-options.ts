import type { Argv } from 'yargs';
import type { CapacityOrder } from './capacity-order.ts';
import type { ExitName } from './exit-codes.ts';
import { once, scenarioOptions, sourceFrom } from './options.ts';
import { tellingOptions } from './report-options.ts';

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

/** The verb `capacity`. */
export const addCapacity = (cli: Argv, ended: (exit: ExitName) => void): Argv =>
  cli.command(
    'capacity [scenario]',
    'Find the highest rate that keeps the objectives, and how many users and keys that is',
    (builder) =>
      searchOptions(tellingOptions(scenarioOptions(builder))).option('out', {
        type: 'string',
        group: 'Output:',
        describe: 'Folder for the answer’s files and each step’s result [reports/TIME-capacity]',
      }),
    async (given) => {
      const isStandIn = given.scenario === undefined;
      const isOpen = given.users === undefined && given.iterations === undefined;
      // The search has rates and lengths of its own; a scenario has to name some.
      const load = {
        ...(isStandIn && isOpen ? { rate: given.rate ?? '1/s' } : {}),
        ...(isStandIn ? { duration: given.duration ?? '10s' } : {}),
      };
      const order: CapacityOrder = {
        source: given.from.length > 0 ? null : sourceFrom({ ...given, ...load }),
        from: given.from,
        ...{ think: once(given.think), start: once(given.start), top: once(given.top) },
        ...{ precision: once(given.precision) ?? '5%', requests: once(given.requests) ?? '' },
        ...{ time: once(given.time) ?? '', yes: given.yes, out: once(given.out) },
        ...{ json: given.json, quiet: given.quiet },
      };
      const { capacity, capacityFrom } = await import('./capacity.ts');
      ended(await (order.source === null ? capacityFrom(order) : capacity(order, order.source)));
    },
  );
