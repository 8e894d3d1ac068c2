import type { StoredRun } from '../model/history.ts';
import { readHistory } from '../platform/history-db.ts';
import { Problem } from '../platform/problem.ts';
import { historyPlace } from './history-place.ts';

/** What a baseline may be called: nothing that looks like a path or an option. */
const nameForm = /^\w[\w.-]*$/;

export const isBaselineName = (name: string): boolean =>
  nameForm.test(name) && !/^\d+$/.test(name) && !/\.(json|db)$/.test(name);

const shortened = (hash: string): string => hash.slice(0, 12);

/** Of a baseline's runs those of one plan; throws a `Problem` when it has several plans and none is asked for. */
const ofPlan = (
  name: string,
  runs: readonly StoredRun[],
  planHash: string | null,
): readonly StoredRun[] => {
  const own = runs.filter((run) => run.planHash === planHash);
  const plans = Map.groupBy(runs, (run) => run.planHash);
  // Runs of another plan alone: the comparison says how it differs, or is told to let it pass.
  if (own.length > 0 || plans.size < 2) return own.length > 0 ? own : runs;
  const list = [...plans].map(
    ([hash, those]) => `  ${shortened(hash)} ${those.at(-1)!.plan}, ${those.at(-1)!.target}`,
  );
  throw new Problem(
    `the baseline ${name} has runs of several plans, and ${planHash === null ? 'nothing says which is meant' : `none of this one (${shortened(planHash)})`}:\n${list.join('\n')}\nName runs of this plan with \`weir history baseline ${name} RUN…\`, or give result files.`,
  );
};

/** The runs that a name stands for, of the plan with this hash where there are such; `null` where no baseline has that name. */
export const runsNamed = async (
  name: string,
  planHash: string | null,
): Promise<readonly StoredRun[] | null> => {
  const place = historyPlace(process.env);
  if (place === null || !isBaselineName(name)) return null;
  const runs = (await readHistory(place)).filter(({ baselines }) => baselines.includes(name));
  return runs.length === 0 ? null : ofPlan(name, runs, planHash);
};
