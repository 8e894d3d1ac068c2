import type { Plan } from '../model/plan/plan.ts';
import { possibleWarmUpEnds } from '../model/result/found-warm-up.ts';
import { type Groups, groupRecorder } from './groups.ts';

/**
 * Returns the groups of a run after the end of its warm-up was found. `end` is the end of the warm-up, in ms. Until the
 * end is found, each part of the possible warm-up has a separate group, so the sums over these groups are exact. The
 * given groups stay unchanged.
 */
export const groupsAfter = (plan: Plan, groups: Groups, end: number): Groups => {
  if (plan.autoWarmUp === undefined) return groups;
  const ends = [...possibleWarmUpEnds(plan.autoWarmUp), plan.autoWarmUp.latest / 1000];
  const recorder = groupRecorder(plan);
  const found: Groups = new Map();
  for (const [key, group] of groups) {
    const { warmUpPart, ...rest } = group.labels;
    const warmUp = warmUpPart === undefined ? rest.warmUp : ends[warmUpPart]! * 1000 <= end;
    recorder.add(found, new Map([[key, { ...group, labels: { ...rest, warmUp } }]]));
  }
  return found;
};
