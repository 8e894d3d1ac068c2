import { emptyOutcomeCounts } from '../../model/measures/outcome-counts.ts';
import { outcomeKinds } from '../../model/observation/outcome.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { scheduledEnd } from '../../schedule/stages.ts';
import type { ProgressReport } from '../input/run-report.ts';
import type { RunObserver } from './observer.ts';

/** Ticks are more frequent than once a second; a report may be this many ms early. */
const tolerance = 20;

/** Reports the progress of a run once a second of the load. */
export const reportProgress = (
  plan: Plan,
  onProgress: (progress: ProgressReport) => void,
): RunObserver => {
  const outcomes = emptyOutcomeCounts();
  const scheduled: number = scheduledEnd(plan);
  let next = 1000;
  return {
    onObservation: (observation) => {
      outcomes[observation.outcome.kind] += 1;
    },
    onWorkerUpdate: ({ figures }) => {
      for (const kind of outcomeKinds) outcomes[kind] += figures.outcomes[kind];
    },
    onTick: (now, { due, inFlight }) => {
      if (now < next - tolerance) return;
      next = (Math.floor((now + tolerance) / 1000) + 1) * 1000;
      onProgress({ elapsed: now, scheduled, due, inFlight, outcomes: { ...outcomes } });
    },
  };
};
