import { loadDuration } from '../model/plan/plan.ts';
import { traceNeeds } from '../report/summary/workload-text.ts';
import type { Host } from './input/host.ts';
import {
  type PlanSource,
  readPlan,
  readPlanWithFiles,
  readSweepVariables,
} from './input/read-plan.ts';

/** Reads each value of the scenario’s `vary`, with the first of the other variables; throws a `Problem` at the first that cannot be read. */
const readVariations = async (source: PlanSource, { environment }: Host): Promise<void> => {
  const variables = await readSweepVariables(source, [], environment);
  const first = variables.map(({ path, flag, values }) => ({
    path,
    flag,
    value: values[0]!.value,
  }));
  for (const [i, { values }] of variables.entries()) {
    for (const { value } of values) {
      await readPlan({ ...source, point: first.with(i, { ...first[i]!, value }) }, environment);
    }
  }
};

/** Reads a scenario without running it; throws a `Problem` that lists everything wrong with it. */
export const validate = async (source: PlanSource, host: Host): Promise<void> => {
  const { environment, printer } = host;
  const { plan } = await readPlanWithFiles(source, environment);
  await readVariations(source, host);
  const { name, stages } = plan;
  const seconds = stages.reduce((sum, { load }) => sum + loadDuration(load), 0) / 1000;
  const stageCount = `${stages.length} ${stages.length === 1 ? 'stage' : 'stages'}`;
  const summary = `${source.scenario ?? 'command line'} is valid: plan “${name}”, ${stageCount}, ${seconds} s`;
  printer.print({
    json: JSON.stringify(plan, null, 2),
    text: () => [summary, ...traceNeeds(plan)].join('\n'),
  });
};
