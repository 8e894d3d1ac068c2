import { extname } from 'node:path';
import type { Observation } from '../../model/observation/observation.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { Instant } from '../../model/quantity.ts';
import { startThread } from '../../platform/process/thread.ts';
import type { RunObserver } from './observer.ts';

const entry = new URL(`./decision-thread${extname(import.meta.filename)}`, import.meta.url);

/**
 * The observations since the last message. If `at` is not `null`, the thread must check whether the run is decided.
 * `now` is the instant of the check, and `due` is the number of arrivals that were due until this instant.
 */
export interface ToDecider {
  readonly observations: readonly Observation[];
  readonly at: { readonly now: Instant; readonly due: number } | null;
}

export interface FromDecider {
  readonly isDecided: true;
}

/**
 * The number of observations in one message. Copying the observations of one message takes about a quarter of a
 * millisecond.
 */
const batchSize = 64;

/**
 * Checks in another thread whether all objectives of a run are decided. A check takes some tenths of a second and would
 * delay the load.
 */
export const decideApart = (plan: Plan, warn: (text: string) => void): RunObserver => {
  let isDecided = false;
  let isClosed = false;
  const thread = startThread<ToDecider>(entry, plan, () => {
    isDecided = true;
  });
  void thread.ended.then((reason) => {
    if (isClosed) return;
    warn(`Nothing decides any more (${reason ?? 'it ended'}): the run lasts as long as it may.`);
  });
  let batch: Observation[] = [];
  const pass = (at: ToDecider['at']): void => {
    thread.post({ observations: batch, at });
    batch = [];
  };
  const record = (observation: Observation): void => {
    batch.push(observation);
    if (batch.length >= batchSize) pass(null);
  };
  return {
    onObservation: record,
    onWorkerUpdate: ({ observations }) => {
      for (const observation of observations) record(observation);
    },
    isDecided: (now, { due }) => {
      pass({ now, due });
      return isDecided;
    },
    close: async () => {
      isClosed = true;
      await thread.end();
    },
  };
};
