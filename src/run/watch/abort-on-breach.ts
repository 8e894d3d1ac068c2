import { watchObjectives } from '../../judge/objectives/abort-watch.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { RunObserver } from './observer.ts';

/** Finds the broken objectives that may end the run. */
export const abortOnBreach = (plan: Plan): RunObserver => {
  if (plan.objectives.every(({ abortAfter }) => abortAfter === null)) return {};
  const watch = watchObjectives(plan);
  return {
    onObservation: watch.record,
    onWorkerUpdate: ({ observations }) => {
      for (const observation of observations) watch.record(observation);
    },
    findBreach: watch.breach,
  };
};
