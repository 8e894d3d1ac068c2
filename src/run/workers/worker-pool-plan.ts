import type { RunRequest } from '../input/run-request.ts';
import { recommendedWorkers } from '../../engine/worker-count.ts';
import type { Slice } from '../../model/workload/arrival.ts';
import { paceAmounts } from '../../model/plan/pace.ts';
import { type Plan, saturateLoadOf } from '../../model/plan/plan.ts';
import { thisMachine } from '../../platform/host/machine.ts';
import { Problem } from '../../platform/problem.ts';
import type { ReadPlan } from '../input/read-plan.ts';
import type { TableFormat } from '../input/requests-table.ts';
import type { SnapshotPace } from '../watch/snapshot-pace.ts';
import type { SliceOptions, SliceProgress } from '../../engine/slice-options.ts';
import type { BudgetUnit } from '../../model/plan/budget.ts';
import type { Clip } from '../../model/workload/clip.ts';
import type { Milliseconds } from '../../model/quantity.ts';
import type { Result, SliceRun } from '../../model/result/result.ts';
import type { CanaryOptions } from '../../platform/canary/canary-streams.ts';
import type { WorkerObservations } from '../watch/observer.ts';
import type { TargetAddress } from './slice-ports.ts';

/** The first message that a worker receives. All messages are plain data, since messages are sent between threads. */

export interface WorkerSetup {
  readonly slice: Slice;
  /** The options of the slice, except those that cannot be sent to another thread. */
  readonly options: Omit<SliceOptions, 'slice' | 'clips' | 'workload' | 'redact'>;
  /** Notes on the target, which the checkpoint contains. */
  readonly notes: readonly string[];
  /** The secrets, which must never be written anywhere. */
  readonly secrets: readonly string[];
  /** The audio clips, by their sources as JSON. */
  readonly clips: ReadonlyMap<string, readonly Clip[]>;
  /** The paths of prompts and traces are relative to this folder. Each worker reads these files itself. */
  readonly baseFolder: string;
  readonly targetAddresses: readonly TargetAddress[];
  /** The addresses of the targets as one text. */
  readonly baseUrl: string;
  readonly machine: SliceRun['machine'];
  /** The options by which each worker opens its own self-test streams; `null` if the run has no self-test streams. */
  readonly canary: CanaryOptions | null;
  readonly reporting: {
    /** Whether the main thread needs each observation as a line for the observations file. */
    readonly lines: boolean;
    /** The format of the rows for the table of requests; `null` if the main thread needs no rows. */
    readonly requests: TableFormat | null;
    /**
     * Whether the main thread needs the observations themselves, for objectives that may end the run and for live
     * metrics.
     */
    readonly observations: boolean;
  };
  /** The interval between snapshots of the checkpoint, which all threads share. */
  readonly pace: SnapshotPace;
}

/** The message with instant 0. All workers get the same message. */
interface StartMessage {
  readonly kind: 'begin';
  readonly startedAt: string;
  readonly machineZero: number;
}

export type ToWorker =
  | StartMessage
  | { readonly kind: 'stop'; readonly grace: Milliseconds }
  | { readonly kind: 'end' }
  /** A renewed key, with its index among the credentials. */
  | { readonly kind: 'key'; readonly index: number; readonly value: string };

export interface WorkerUpdate extends WorkerObservations {
  readonly kind: 'update';
  readonly progress: SliceProgress;
}

export type FromWorker =
  | { readonly kind: 'ready' }
  | WorkerUpdate
  /**
   * The message at the end of the slice. `cut` says whether the slice stopped before all arrivals of the plan. `spent`
   * is the cap of the budget that ended the slice. `lostLease` says whether the lease of the slice ran out.
   */
  | {
      readonly kind: 'over';
      readonly result: Result;
      readonly cut: boolean;
      readonly spent: BudgetUnit | null;
      readonly lostLease: boolean;
    };

/** How the threads of this process divide a slice. */
export interface WorkerPoolPlan {
  /** The number of workers, at least 2. */
  readonly workers: number;
  /** The paths of prompts and traces are relative to this folder. */
  readonly baseFolder: string;
  readonly reporting: WorkerSetup['reporting'];
  readonly pace: SnapshotPace;
}

/** Throws a `Problem` if a plan has workers although the main thread must send the load. `why` is the reason. */
export const rejectWorkers = ({ workers }: Pick<Plan, 'workers'>, why: string): void => {
  if (workers === 'auto' || workers === 1) return;
  throw new Problem(
    `workers: ${why}: expected 1 worker, got ${workers}. Give --workers 1, or auto, which is 1 here`,
  );
};

/**
 * Returns the number of workers for a slice. If the plan has a pace, each worker must get a share of the limits of
 * every key.
 */
const workerCountFor = (plan: Plan, slice: Slice): number => {
  if (saturateLoadOf(plan) !== null) return 1;
  const amounts = plan.pace === null ? [] : paceAmounts(plan.pace, plan.keys.length);
  const requests = Math.min(...amounts.map((each) => each.requests ?? Number.POSITIVE_INFINITY));
  const maxWorkers = Math.floor(requests / slice.count);
  if (plan.workers === 'auto') {
    return Math.max(1, Math.min(maxWorkers, recommendedWorkers(plan, thisMachine().cores)));
  }
  if (plan.workers > 1 && plan.workers > maxWorkers) {
    throw new Problem(
      `workers: under a pace each worker holds its share of a key’s limits, and ${requests} requests cannot be shared by ${plan.workers * slice.count}: expected at most ${Math.max(1, maxWorkers)}. A pace needs no second worker at such rates`,
    );
  }
  return plan.workers;
};

/**
 * Plans the workers that share a run's slice. Returns `null` if the main thread sends the whole slice. Throws a
 * `Problem` if the slice cannot be divided among workers.
 */
export const planWorkerPool = async (
  { plan, folder }: ReadPlan,
  slice: Slice,
  { capture, metricsExport, observations, requests }: RunRequest,
  pace: SnapshotPace,
): Promise<WorkerPoolPlan | null> => {
  if (capture !== undefined) {
    rejectWorkers(plan, '--capture works only in the main thread, not in workers');
    return null;
  }
  const workers = workerCountFor(plan, slice);
  if (workers === 1) return null;
  const canAbort = plan.objectives.some(({ abortAfter }) => abortAfter !== null);
  const isWatched = metricsExport.metrics !== null || metricsExport.otlp !== null;
  const requestsFormat = async (path: string): Promise<TableFormat> =>
    (await import('../input/requests-table.ts')).tableFormatOf(path);
  return {
    workers,
    baseFolder: folder,
    reporting: {
      lines: observations !== undefined,
      requests: requests === undefined ? null : await requestsFormat(requests),
      observations: canAbort || isWatched || plan.until !== undefined,
    },
    pace,
  };
};
