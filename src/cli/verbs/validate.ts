import type { Plan } from '../../model/plan/plan.ts';
import type { PlanSource } from '../../run/input/read-plan.ts';
import type { Environment } from '../../scenario/text/environment-template.ts';
import { defineVerb, inGroup, switchOption } from '../options/define-verb.ts';
import { planSourceFrom, scenarioOptions } from '../options/scenario-options.ts';
import { terminalHost } from '../options/terminal-host.ts';

/**
 * Reads the scenario once for each value of each variable in `vary`. The other variables keep their first values.
 * Throws a `Problem` for the first scenario that cannot be read.
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

const summaryOf = async (name: string, plan: Plan): Promise<string> => {
  const { plannedTime } = await import('../../report/summary/workload-text.ts');
  const { plural } = await import('../../report/text/number-text.ts');
  const { populations } = plan;
  const loads = plural(plan.stages.length, 'stage');
  const parts =
    populations === undefined ? loads : `${plural(populations.length, 'population')}, ${loads}`;
  return `${name} is valid: plan “${plan.name}”, ${parts}, ${plannedTime(plan)}`;
};

/**
 * Returns a warning if `until` cannot end the run early. The code for the warning is loaded only for a plan with
 * `until`.
 */
const lateLookOf = async (plan: Plan): Promise<readonly string[]> => {
  if (plan.until === undefined) return [];
  const { lateLookWarning } = await import('../../run/forecast.ts');
  return lateLookWarning(plan);
};

export const validateVerb = defineVerb({
  options: {
    ...scenarioOptions,
    ...inGroup('Output:', { json: switchOption('Print the complete plan as JSON') }),
  },
  run: async (given) => {
    const { readPlanWithFiles } = await import('../../run/input/read-plan.ts');
    const { droppedPrompts, traceNeeds } = await import('../../report/summary/workload-text.ts');
    const { foldedText } = await import('../../report/text/display-width.ts');
    const { environment, printer } = terminalHost(given);
    const source = planSourceFrom(given);
    const { plan } = await readPlanWithFiles(source, environment);
    await readVariations(source, environment);
    const summary = await summaryOf(source.scenario ?? 'command line', plan);
    const lateLook = await lateLookOf(plan);
    printer.print({
      json: JSON.stringify(plan, null, 2),
      text: ({ width }) =>
        foldedText(
          [summary, ...lateLook, ...droppedPrompts(plan), ...traceNeeds(plan)].join('\n'),
          width,
        ),
    });
    return 'pass';
  },
});
