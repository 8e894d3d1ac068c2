import type { Argv } from 'yargs';
import type { PlanSource } from '../../run/input/read-plan.ts';
import { withOutputOptions } from '../options/output-options.ts';
import { planSourceFrom, withScenarioOptions } from '../options/scenario-options.ts';
import { terminalHost } from '../options/terminal-host.ts';
import type { AddVerb } from '../options/verbs.ts';

const searchOptions = <T>(builder: Argv<T>) =>
  builder
    .options({
      from: {
        type: 'string',
        array: true,
        default: [] as string[],
        describe: 'Answer from stored results: their stages of constant rate are the steps',
      },
      think: {
        type: 'string',
        describe: 'Think time between an answer and the next request [the scenario’s, or 20s]',
      },
      start: { type: 'string', describe: 'The first rate [1/s, less under low limits]' },
      top: { type: 'string', describe: 'The highest rate to try [the limits’, or 1000/s]' },
      precision: { type: 'string', default: '5%', describe: 'Relative precision of the answer' },
      requests: { type: 'string', default: '50000', describe: 'Maximum requests of all steps' },
      time: { type: 'string', default: '30m', describe: 'Maximum duration of all steps together' },
      yes: { type: 'boolean', default: false, describe: 'Spend the budget without asking' },
    })
    .group(['from', 'think', 'start', 'top', 'precision', 'requests', 'time', 'yes'], 'Search:');

/** Placeholders: the search sets rates and durations itself. */
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

export const addCapacity: AddVerb = (cli, ended) =>
  cli.command(
    'capacity [scenario]',
    'Find the highest rate that keeps the objectives, and the users and keys for it',
    (builder) =>
      searchOptions(withOutputOptions(withScenarioOptions(builder))).option('out', {
        type: 'string',
        group: 'Output:',
        describe: 'Folder for the answer’s files and each step’s result [reports/TIME-capacity]',
      }),
    async (given) => {
      const request = {
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
      };
      const { findTargetCapacity } = await import('../../run/capacity/capacity.ts');
      ended(await findTargetCapacity(request, terminalHost(given)));
    },
  );
