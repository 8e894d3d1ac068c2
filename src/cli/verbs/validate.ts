import { loadDuration } from '../../model/plan/plan.ts';
import { traceNeeds } from '../../report/summary/workload-text.ts';
import type { ExitName } from '../../run/output/exit-codes.ts';
import { type PlanSource, readPlanWithFiles } from '../../run/input/read-plan.ts';
import { toStdout } from '../../platform/standard-streams.ts';

/** Reads a scenario without running it; a file with problems throws the `Problem` that lists them all. */
export const validate = async (source: PlanSource, asJson: boolean): Promise<ExitName> => {
  const { plan } = await readPlanWithFiles(source);
  if (asJson) {
    toStdout(JSON.stringify(plan, null, 2));
    return 'pass';
  }
  const seconds = plan.stages.reduce((sum, { load }) => sum + loadDuration(load), 0) / 1000;
  toStdout(
    `${source.scenario ?? 'command line'} is valid: plan “${plan.name}”, ${plan.stages.length} ${plan.stages.length === 1 ? 'stage' : 'stages'}, ${seconds} s`,
  );
  for (const line of traceNeeds(plan)) toStdout(line);
  return 'pass';
};
