import { workersWanted } from '../engine/worker-count.ts';
import type { Slice } from '../model/arrival.ts';
import type { Plan } from '../model/plan.ts';
import { thisMachine } from '../platform/machine.ts';
import { Problem } from '../platform/problem.ts';
import type { WorkerOrder } from './worker-messages.ts';

/** How a slice is shared among threads. */
export interface CrewPlan {
  /** 1: no thread beside the main one. */
  readonly workers: number;
  readonly planHash: string;
  /** Where paths of prompts and traces start. */
  readonly folder: string;
  readonly wants: WorkerOrder['wants'];
}

/** How many workers a slice gets. Under a pace each holds its share of every key's limits, which nobody may lack. */
const workersFor = (plan: Plan, slice: Slice): number => {
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

export const crewPlanFor = (
  plan: Plan,
  slice: Slice,
  rest: Pick<CrewPlan, 'planHash' | 'folder'> & { readonly lines: boolean },
): CrewPlan => {
  const { planHash, folder, lines } = rest;
  const observations = plan.objectives.some(({ abortAfter }) => abortAfter !== null);
  return {
    workers: workersFor(plan, slice),
    ...{ planHash, folder },
    wants: { lines, observations },
  };
};
