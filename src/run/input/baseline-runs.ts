import type { StoredRun } from '../../model/series/history.ts';
import { readHistory } from '../../platform/files/history-db.ts';
import { Problem } from '../../platform/problem.ts';

/** Names of baselines look neither like paths nor like options. */
const namePattern = /^\w[\w.-]*$/;

export const isBaselineName = (name: string): boolean =>
  namePattern.test(name) && !/^\d+$/.test(name) && !/\.(json|db)$/.test(name);

const shortened = (hash: string): string => hash.slice(0, 12);

/** The runs of a baseline for one plan; throws a `Problem` if it has several plans and none is selected. */
const runsOfPlan = (
  name: string,
  runs: readonly StoredRun[],
  planHash: string | null,
): readonly StoredRun[] => {
  const runsOfThisPlan = runs.filter((run) => run.planHash === planHash);
  const plans = Map.groupBy(runs, (run) => run.planHash);
  // If all runs are of one other plan, the comparison says how it differs, or allows it.
  if (runsOfThisPlan.length > 0 || plans.size < 2)
    return runsOfThisPlan.length > 0 ? runsOfThisPlan : runs;
  const list = [...plans].map(
    ([hash, planRuns]) =>
      `  ${shortened(hash)} ${planRuns.at(-1)!.plan}, ${planRuns.at(-1)!.target}`,
  );
  throw new Problem(
    `the baseline ${name} has runs of several plans, and ${planHash === null ? 'none is selected' : `none is this one (${shortened(planHash)})`}:\n${list.join('\n')}\nName runs of this plan with \`weir history baseline ${name} RUN…\`, or give result files.`,
  );
};

/** The runs of a baseline, limited to the plan with this hash if it has any; `null` if the history has no such baseline. */
export const runsOfBaseline = async (
  name: string,
  planHash: string | null,
  history: string | null,
): Promise<readonly StoredRun[] | null> => {
  if (history === null || !isBaselineName(name)) return null;
  const runs = (await readHistory(history)).filter(({ baselines }) => baselines.includes(name));
  return runs.length === 0 ? null : runsOfPlan(name, runs, planHash);
};
