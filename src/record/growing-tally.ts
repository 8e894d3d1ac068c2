import type { Observation } from '../model/observation.ts';
import type { Plan } from '../model/plan.ts';
import { emptyTally, moveTally, record, type StoredPart, type Tally } from './tally.ts';

/**
 * A run's tally in two: what was recorded since the last cut, and all before it. A cut closes the first at
 * one moment; it is stored and moved over bit by bit while the run goes on, so that storing it
 * neither stalls the generator nor mixes moments. Nothing is recorded twice.
 */
export interface GrowingTally {
  record(observation: Observation): void;
  /** Closes what was recorded since the last cut; each part that is taken is about a millisecond's work. Returns when the last exchange ended. */
  cut(): Iterator<StoredPart, number>;
  /** Everything recorded so far; a cut that is not yet taken to its end is finished first. */
  whole(): Tally;
}

export const growTally = (plan: Plan): GrowingTally => {
  const settled = emptyTally(plan);
  let current = emptyTally(plan);
  let moving: Generator<StoredPart, number> | null = null;
  const finish = (): void => {
    if (moving !== null) for (const _ of moving);
    moving = null;
  };
  const cut = (): Iterator<StoredPart, number> => {
    finish();
    moving = moveTally(current, settled);
    current = emptyTally(plan);
    return moving;
  };
  return {
    record: (observation) => record(current, observation),
    cut,
    whole: () => {
      cut();
      finish();
      return settled;
    },
  };
};
