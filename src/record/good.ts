import type { Observation } from '../model/observation.ts';
import type { RequestObjective } from '../model/objective.ts';
import { keptBy } from '../model/request-objectives.ts';
import type { Group } from '../model/result.ts';

/** Counts of requests that kept the plan's per-request objectives. */

type Good = NonNullable<Group['good']>;
type Holder = Pick<Group, 'good'>;

const goodOf = (group: Holder, objectives: number): Good => {
  group.good ??= { all: 0, each: Array.from({ length: objectives }, () => 0) };
  return group.good;
};

/** Adds an observation's part. A group whose requests all failed has zeros, not nothing. */
export const recordGood = (
  group: Holder,
  objectives: readonly RequestObjective[],
  observation: Observation,
  stage: string,
): void => {
  if (objectives.length === 0) return;
  const good = goodOf(group, objectives.length);
  if (observation.outcome.kind !== 'completed') return;
  const kept = keptBy(objectives, observation, stage);
  if (kept.every(Boolean)) good.all += 1;
  for (const [i, isKept] of kept.entries()) good.each[i]! += isKept ? 1 : 0;
};

/** Adds what another group counted. */
export const addGood = (into: Holder, { good: from }: Holder): void => {
  if (from === undefined) return;
  const good = goodOf(into, from.each.length);
  good.all += from.all;
  for (const [i, kept] of from.each.entries()) good.each[i]! += kept;
};
