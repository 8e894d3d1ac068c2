import type { Plan } from '../../model/plan/plan.ts';
import type { Result } from '../../model/result/result.ts';
import { createIncrementalTally, type IncrementalTally } from '../../record/incremental-tally.ts';
import { fromResult, mergeTallies, type Tally } from '../../record/tally.ts';
import type { RunObserver } from './observer.ts';

export interface RunRecorder extends RunObserver {
  readonly tally: IncrementalTally;
  whole(workerResults: readonly Result[]): Tally;
}

export const openRecorder = (plan: Plan): RunRecorder => {
  const tally = createIncrementalTally(plan);
  return {
    tally,
    onObservation: (observation) => tally.record(observation),
    whole: (workerResults) =>
      workerResults.reduce((sum, part) => mergeTallies(sum, fromResult(part)), tally.whole()),
  };
};
