import type { Group } from '../model/measures/counts.ts';
import type { Observation } from '../model/observation/observation.ts';
import type { RequestObjective } from '../model/plan/objective.ts';
import { objectivesMet } from '../model/plan/request-objectives.ts';

type ObjectiveCounts = NonNullable<Group['good']>;
type ObjectiveCountsHolder = Pick<Group, 'good'>;

const objectiveCountsOf = (group: ObjectiveCountsHolder, objectives: number): ObjectiveCounts => {
  group.good ??= { all: 0, each: Array.from({ length: objectives }, () => 0) };
  return group.good;
};

/** Counts an observation that meets the plan's per-request objectives. A group of failed requests has zeros. */
export const recordObjectiveCounts = (
  group: ObjectiveCountsHolder,
  objectives: readonly RequestObjective[],
  observation: Observation,
  stage: string,
): void => {
  if (objectives.length === 0) return;
  const good = objectiveCountsOf(group, objectives.length);
  if (observation.outcome.kind !== 'completed') return;
  const kept = objectivesMet(objectives, observation, stage);
  if (kept.every(Boolean)) good.all += 1;
  for (const [i, isKept] of kept.entries()) good.each[i]! += isKept ? 1 : 0;
};

export const addObjectiveCounts = (
  into: ObjectiveCountsHolder,
  { good: from }: ObjectiveCountsHolder,
): void => {
  if (from === undefined) return;
  const good = objectiveCountsOf(into, from.each.length);
  good.all += from.all;
  for (const [i, kept] of from.each.entries()) good.each[i]! += kept;
};
