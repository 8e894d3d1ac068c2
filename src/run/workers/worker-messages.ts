import type { SliceOptions, SliceProgress } from '../../engine/slice-options.ts';
import type { Slice } from '../../model/workload/arrival.ts';
import type { BudgetUnit } from '../../model/plan/budget.ts';
import type { Clip } from '../../model/workload/clip.ts';
import type { Milliseconds } from '../../model/quantity.ts';
import type { Result, SliceRun } from '../../model/result/result.ts';
import type { CanaryOptions } from '../../platform/canary/canary-streams.ts';
import type { TableFormat } from '../input/requests-table.ts';
import type { WorkerObservations } from '../watch/observer.ts';
import type { SnapshotPace } from '../watch/snapshot-pace.ts';
import type { TargetAddress } from './run-local-slice.ts';

/** The messages between a run's main thread and its workers: plain data, which crosses threads. */

export interface WorkerSetup {
  readonly slice: Slice;
  /** The other options of its slice, without what cannot cross threads. */
  readonly options: Omit<SliceOptions, 'slice' | 'clips' | 'workload' | 'redact'>;
  /** Notes on the target, for the checkpoint. */
  readonly notes: readonly string[];
  /** Secrets that must never be written anywhere. */
  readonly secrets: readonly string[];
  /** By their sources as JSON. */
  readonly clips: ReadonlyMap<string, readonly Clip[]>;
  /** The folder of the paths of prompts and traces: each worker reads these files itself. */
  readonly baseFolder: string;
  readonly targetAddress: TargetAddress;
  readonly machine: SliceRun['machine'];
  /** Each worker opens its own canary streams from one emitter. */
  readonly canary: CanaryOptions | null;
  /** What the main thread needs of each observation. */
  readonly reporting: {
    /** A line of the observations file. */
    readonly lines: boolean;
    /** A row of the table of requests, in this format. */
    readonly requests: TableFormat | null;
    /** The observation itself: for objectives that may end the run, and for live metrics. */
    readonly observations: boolean;
  };
  /** Of the checkpoint, shared by all threads. */
  readonly pace: SnapshotPace;
}

/** The common instant 0 of all workers. */
interface StartMessage {
  readonly kind: 'begin';
  readonly startedAt: string;
  readonly machineZero: number;
}

export type ToWorker = StartMessage | { readonly kind: 'stop'; readonly grace: Milliseconds };

export interface WorkerUpdate extends WorkerObservations {
  readonly kind: 'update';
  readonly progress: SliceProgress;
}

export type FromWorker =
  | { readonly kind: 'ready' }
  | WorkerUpdate
  /** The slice is over. `cut`: it was stopped before all arrivals of the plan; `spent`: by this cap of the budget; `lostLease`: its lease ran out. */
  | {
      readonly kind: 'over';
      readonly result: Result;
      readonly cut: boolean;
      readonly spent: BudgetUnit | null;
      readonly lostLease: boolean;
    };
