import { workersWanted } from '../engine/worker-count.ts';
import type { Slice } from '../model/arrival.ts';
import { type Plan, saturationOf } from '../model/plan.ts';
import { planHash } from '../model/plan-hash.ts';
import { thisMachine } from '../platform/machine.ts';
import { Problem } from '../platform/problem.ts';
import type { RunOrder } from './open-run.ts';
import type { ReadPlan } from './read-plan.ts';
import type { WorkerOrder } from './worker-messages.ts';

/** How a slice is shared among threads. */
export interface CrewPlan {
  /** Two at least. */
  readonly workers: number;
  readonly planHash: string;
  /** Where paths of prompts and traces start. */
  readonly folder: string;
  readonly wants: WorkerOrder['wants'];
}

/** What can only be done where the thread that sends is the main one, each with the reason. */
const aloneOnly = {
  capture: '--capture keeps bodies where they are sent, and workers do not hand them over',
  capacity: 'weir capacity sends each of its steps from one thread',
} as const;

/** Throws a `Problem` where a plan asks for workers beside what only one thread can do. */
export const refuseWorkers = (
  { workers }: Pick<Plan, 'workers'>,
  beside: keyof typeof aloneOnly,
): void => {
  if (workers === 'auto' || workers === 1) return;
  throw new Problem(
    `workers: ${aloneOnly[beside]}: expected 1 worker, got ${workers}. Give --workers 1, or auto, which is 1 here`,
  );
};

/** How many workers a slice gets. Under a pace each holds its share of every key's limits, which nobody may lack. */
const workersFor = (plan: Plan, slice: Slice): number => {
  if (saturationOf(plan) !== null) return 1;
  const requests = plan.pace?.requests ?? null;
  const most = requests === null ? Number.POSITIVE_INFINITY : Math.floor(requests / slice.count);
  if (plan.workers === 'auto') {
    return Math.max(1, Math.min(most, workersWanted(plan, thisMachine().cores)));
  }
  if (plan.workers > 1 && plan.workers > most) {
    throw new Problem(
      `workers: under a pace each worker holds its share of a key’s limits, and ${requests} requests cannot be shared by ${plan.workers * slice.count}: expected at most ${Math.max(1, most)}. A pace needs no second worker at such rates`,
    );
  }
  return plan.workers;
};

/** The workers that a run's slice is shared among; `null` for one, which is the main thread. Throws a `Problem` where they cannot be. */
export const crewPlanFor = (
  { plan, folder }: ReadPlan,
  slice: Slice,
  { capture, watchers, observations }: Pick<RunOrder, 'capture' | 'watchers' | 'observations'>,
): CrewPlan | null => {
  if (capture !== undefined) {
    refuseWorkers(plan, 'capture');
    return null;
  }
  const workers = workersFor(plan, slice);
  if (workers === 1) return null;
  const mayAbort = plan.objectives.some(({ abortAfter }) => abortAfter !== null);
  const isWatched = watchers.metrics !== null || watchers.otlp !== null;
  return {
    ...{ workers, folder, planHash: planHash(plan) },
    wants: { lines: observations !== undefined, observations: mayAbort || isWatched },
  };
};
