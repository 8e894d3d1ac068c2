import type { Observation } from '../model/observation/observation.ts';
import type { Plan } from '../model/plan/plan.ts';
import { emptyTally, moveTally, recordObservation, type StoredPart, type Tally } from './tally.ts';

/**
 * A run's tally in two: what was recorded since the last cut, and all before it. A cut closes the first at
 * one moment; it is stored and moved over bit by bit while the run goes on, so that storing it
 * neither stalls the generator nor mixes moments. Nothing is recorded twice.
 */
export interface IncrementalTally {
  record(observation: Observation): void;
  /** Closes what was recorded since the last cut; each part that is taken is about a millisecond's work. Returns when the last exchange ended. */
  flush(): Iterator<StoredPart, number>;
  /** Everything recorded so far; a cut that is not yet taken to its end is finished first. */
  whole(): Tally;
}

export const createIncrementalTally = (plan: Plan): IncrementalTally => {
  const flushed = emptyTally(plan);
  let current = emptyTally(plan);
  let moving: Generator<StoredPart, number> | null = null;
  const finish = (): void => {
    if (moving !== null) for (const _ of moving);
    moving = null;
  };
  const flush = (): Iterator<StoredPart, number> => {
    finish();
    moving = moveTally(current, flushed);
    current = emptyTally(plan);
    return moving;
  };
  return {
    record: (observation) => recordObservation(current, observation),
    flush,
    whole: () => {
      flush();
      finish();
      return flushed;
    },
  };
};
