import type { Observation } from '../model/observation/observation.ts';
import type { Plan } from '../model/plan/plan.ts';
import {
  continueTally,
  emptyTally,
  moveTally,
  recordObservation,
  type StoredPart,
  type Tally,
} from './tally.ts';

/**
 * Observations are recorded in batches of this many. A batch takes less time than recording each observation between
 * two reads. Only streams are not batched.
 */
const batchSize = 32;

/**
 * Creates a run's tally in two parts: the current part since the last flush, and the part with all earlier
 * observations. A flush closes the current part at one instant. During the run, the flush then stores the closed part
 * piece by piece, and moves each piece into the earlier part. Storing therefore never delays the load generator, and a
 * stored part ends at one instant.
 */
export const createIncrementalTally = (plan: Plan) => {
  const flushed = emptyTally(plan);
  let current = emptyTally(plan);
  let moving: Generator<StoredPart, number> | null = null;
  let batch: Observation[] = [];
  const recordBatch = (): void => {
    const observations = batch;
    batch = [];
    for (const observation of observations) recordObservation(current, observation);
  };
  const record = (observation: Observation): void => {
    // A stream can have thousands of gaps, so each stream is recorded alone.
    if (observation.traffic === 'chat-stream') return recordObservation(current, observation);
    batch.push(observation);
    if (batch.length >= batchSize) recordBatch();
  };
  const finish = (): void => {
    if (moving !== null) for (const _ of moving);
    moving = null;
  };
  /**
   * Closes the part since the last flush. The returned iterator stores this part in pieces of less than a millisecond
   * each, and returns the instant at which the last exchange ended.
   */
  const flush = (): Iterator<StoredPart, number> => {
    finish();
    recordBatch();
    moving = moveTally(current, flushed);
    current = continueTally(flushed);
    return moving;
  };
  return {
    record,
    flush,
    /** Returns the tally of all recorded observations. If a flush is in progress, the flush is finished first. */
    whole: (): Tally => {
      flush();
      finish();
      return flushed;
    },
  };
};
export type IncrementalTally = ReturnType<typeof createIncrementalTally>;
