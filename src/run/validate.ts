import { loadDuration } from '../model/plan/plan.ts';
import { traceNeeds } from '../report/summary/workload-text.ts';
import type { Host } from './input/host.ts';
import { type PlanSource, readPlanWithFiles } from './input/read-plan.ts';

/** Reads a scenario without running it; throws a `Problem` that lists everything wrong with it. */
export const validate = async (
  source: PlanSource,
  { environment, printer }: Host,
): Promise<void> => {
  const { plan } = await readPlanWithFiles(source, environment);
  const { name, stages } = plan;
  const seconds = stages.reduce((sum, { load }) => sum + loadDuration(load), 0) / 1000;
  const stageCount = `${stages.length} ${stages.length === 1 ? 'stage' : 'stages'}`;
  const summary = `${source.scenario ?? 'command line'} is valid: plan “${name}”, ${stageCount}, ${seconds} s`;
  printer.print({
    json: JSON.stringify(plan, null, 2),
    text: () => [summary, ...traceNeeds(plan)].join('\n'),
  });
};
