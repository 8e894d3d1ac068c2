import type { StoredRun } from '../../model/series/history.ts';
import { readHistory } from '../../platform/files/history-db.ts';
import { Problem } from '../../platform/problem.ts';
import { historyPath } from './history-path.ts';

/** What a baseline may be called: nothing that looks like a path or an option. */
const namePattern = /^\w[\w.-]*$/;

export const isBaselineName = (name: string): boolean =>
  namePattern.test(name) && !/^\d+$/.test(name) && !/\.(json|db)$/.test(name);

const shortened = (hash: string): string => hash.slice(0, 12);

/** Of a baseline's runs those of one plan; throws a `Problem` when it has several plans and none is asked for. */
const runsOfPlan = (
  name: string,
  runs: readonly StoredRun[],
  planHash: string | null,
): readonly StoredRun[] => {
  const runsOfThisPlan = runs.filter((run) => run.planHash === planHash);
  const plans = Map.groupBy(runs, (run) => run.planHash);
  // Runs of another plan alone: the comparison says how it differs, or is told to let it pass.
  if (runsOfThisPlan.length > 0 || plans.size < 2)
    return runsOfThisPlan.length > 0 ? runsOfThisPlan : runs;
  const list = [...plans].map(
    ([hash, planRuns]) =>
      `  ${shortened(hash)} ${planRuns.at(-1)!.plan}, ${planRuns.at(-1)!.target}`,
  );
  throw new Problem(
    `the baseline ${name} has runs of several plans, and ${planHash === null ? 'nothing says which is meant' : `none of this one (${shortened(planHash)})`}:\n${list.join('\n')}\nName runs of this plan with \`weir history baseline ${name} RUN…\`, or give result files.`,
  );
};

/** The runs that a name stands for, of the plan with this hash where there are such; `null` where no baseline has that name. */
export const runsOfBaseline = async (
  name: string,
  planHash: string | null,
): Promise<readonly StoredRun[] | null> => {
  const path = historyPath(process.env);
  if (path === null || !isBaselineName(name)) return null;
  const runs = (await readHistory(path)).filter(({ baselines }) => baselines.includes(name));
  return runs.length === 0 ? null : runsOfPlan(name, runs, planHash);
};
