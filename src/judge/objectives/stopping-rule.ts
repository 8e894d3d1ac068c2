import { canBeSure, type Objective } from '../../model/plan/objective.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { Result } from '../../model/result/result.ts';
import { stageSpans } from '../../model/plan/stage-spans.ts';
import { groundsFor, isSure, observeObjective } from './judge-objectives.ts';
import { standsWithoutStretch } from './longest-stretch.ts';

/**
 * This file decides when a run with `until: decided` has enough samples. A test that checks an interval again and
 * again, until it excludes a bound, is wrong more often than the interval's confidence says. So a run checks its
 * intervals only after growing spans of time, and each check uses the wider interval of `doubtOfLooks`.
 * `long-stopping-median.test.ts` and `long-stopping-p95.test.ts` measure how often the result is wrong.
 */

/**
 * The measured time before the first check, in ms. A shorter run does not show how long a queue affects later requests.
 */
const firstLook = 30_000;
/** From one check to the next, the measured time grows by this factor. */
const growth = 1.5;

/** Returns the first instant after `after`, in ms, at which the run checks whether its objectives are sure. */
export const nextLook = (plan: Plan, after: number): number => {
  const { autoWarmUp } = plan;
  const start = Math.max(autoWarmUp?.earliest ?? plan.warmUp, stageSpans(plan).at(-1)!.from);
  // If the run finds the end of its warm-up itself, the warm-up takes at most half of the time since `start`.
  let measured = autoWarmUp === undefined ? firstLook : 2 * firstLook;
  while (start + measured <= after) measured *= growth;
  return start + measured;
};

/**
 * Returns the undecided objectives: objectives that need more samples for a sure verdict, and objectives whose verdict
 * rests on one stretch of the run. If the run is not steady, all objectives that can be sure are undecided.
 */
export const undecidedObjectives = (result: Result): readonly Objective[] =>
  result.plan.objectives.filter((objective) => {
    if (!canBeSure(objective)) return false;
    if (result.warmUp?.isSteady === false) return true;
    const { observed: value } = observeObjective(result, objective);
    const grounds = groundsFor(objective, value);
    if (grounds === 'no-data' || isSure(objective, value) !== true) return true;
    return !standsWithoutStretch(result, objective, grounds === 'kept');
  });
