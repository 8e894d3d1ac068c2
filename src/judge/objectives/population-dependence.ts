import type { Group } from '../../model/measures/counts.ts';
import { type Dependence, strongest } from '../../model/measures/dependence.ts';
import type { Histogram } from '../../model/measures/histogram.ts';
import type { MeasureName } from '../../model/measures/measures.ts';
import type { Result } from '../../model/result/result.ts';
import {
  dependenceAtBound,
  dependenceOfDue,
  type RunPart,
} from '../../model/result/run-dependence.ts';

/**
 * Returns whether the groups contain every population of a run. The seconds of a run count all populations together, so
 * the seconds say nothing about the mean of a single population.
 */
export const isOfEachPopulation = (
  { plan: { populations = [] } }: Result,
  groups: readonly Group[],
): boolean =>
  populations.every(({ name }) => groups.some(({ labels }) => labels.population === name));

/**
 * Returns how strongly the arrivals of one population depend on each other. The seconds count all populations together.
 * So the few arrivals of this population may cause all the dependence that the seconds show. The returned `widening` is
 * increased accordingly.
 */
export const dependenceOfPopulation = (
  part: RunPart,
  name: MeasureName,
  due: { readonly q: number; readonly failed: number },
  own: Histogram,
): Dependence | null => {
  const value = own.atRank(Math.max(1, Math.min(own.count, Math.ceil(due.q * own.count))));
  const atOwn = dependenceAtBound(part, name, { bound: value, isLower: false }, due);
  const found = strongest([dependenceOfDue(part, name, due.q, due.failed), atOwn]);
  if (found === null) return null;
  const all = part.seconds.reduce((sum, second) => sum + (second?.due ?? 0), 0);
  const times = Math.max(1, all / own.count);
  return { effect: found.effect, widening: 1 + (found.widening - 1) * times };
};
