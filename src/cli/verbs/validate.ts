import type { Plan } from '../../model/plan/plan.ts';
import type { PlanSource } from '../../run/input/read-plan.ts';
import type { Environment } from '../../scenario/text/environment-template.ts';
import { defineVerb, inGroup, switchOption } from '../options/define-verb.ts';
import { planSourceFrom, scenarioOptions } from '../options/scenario-options.ts';
import { terminalHost } from '../options/terminal-host.ts';

/**
 * Reads each value of the scenario's `vary`, together with the first values of the other variables. Throws a `Problem`
 * at the first that cannot be read.
 */
const readVariations = async (source: PlanSource, environment: Environment): Promise<void> => {
  const { readPlan, readSweepVariables } = await import('../../run/input/read-plan.ts');
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

const summaryOf = async (name: string, { name: planName, stages }: Plan): Promise<string> => {
  const { loadDuration } = await import('../../model/plan/plan.ts');
  const seconds = stages.reduce((sum, { load }) => sum + loadDuration(load), 0) / 1000;
  const stageCount = `${stages.length} ${stages.length === 1 ? 'stage' : 'stages'}`;
  return `${name} is valid: plan “${planName}”, ${stageCount}, ${seconds} s`;
};

export const validateVerb = defineVerb({
  options: {
    ...scenarioOptions,
    ...inGroup('Output:', { json: switchOption('Print the complete plan as JSON') }),
  },
  run: async (given) => {
    const { readPlanWithFiles } = await import('../../run/input/read-plan.ts');
    const { droppedPrompts, traceNeeds } = await import('../../report/summary/workload-text.ts');
    const { environment, printer } = terminalHost(given);
    const source = planSourceFrom(given);
    const { plan } = await readPlanWithFiles(source, environment);
    await readVariations(source, environment);
    const summary = await summaryOf(source.scenario ?? 'command line', plan);
    printer.print({
      json: JSON.stringify(plan, null, 2),
      text: () => [summary, ...droppedPrompts(plan), ...traceNeeds(plan)].join('\n'),
    });
    return 'pass';
  },
});
