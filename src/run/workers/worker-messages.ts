import type { Credential, SharedBudget, SliceProgress } from '../../engine/slice-options.ts';
import type { Slice } from '../../model/workload/arrival.ts';
import type { BudgetUnit } from '../../model/plan/budget.ts';
import type { Clip, ClipSource } from '../../model/workload/clip.ts';
import type { Observation } from '../../model/observation/observation.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { Milliseconds } from '../../model/quantity.ts';
import type { Result } from '../../model/result/result.ts';
import type { CanaryOptions } from '../../platform/canary/canary-streams.ts';
import type { LiveFigures } from '../watch/live-display.ts';
import type { TargetAddress } from './run-local-slice.ts';

/** What a run's main thread and its workers say to one another: plain data, which crosses threads. */

/** What a worker is brought when it starts. */
export interface WorkerSetup {
  readonly plan: Plan;
  readonly planHash: string;
  readonly slice: Slice;
  readonly runId: string;
  readonly credentials: readonly Credential[];
  readonly headers: Readonly<Record<string, string>>;
  readonly userAgent: string;
  /** What is known of the target, for whoever reads the checkpoint. */
  readonly notes: readonly string[];
  /** What must never stand in anything written. */
  readonly secrets: readonly string[];
  readonly clips: readonly (readonly [ClipSource, readonly Clip[]])[];
  /** Where paths of prompts and traces start: each worker reads these files for itself. */
  readonly baseFolder: string;
  readonly targetAddress: TargetAddress;
  /** Each worker has canary streams of its own, of one emitter. */
  readonly canary: CanaryOptions | null;
  /** What all workers spend of a budget together. */
  readonly sharedBudget: SharedBudget;
  /** Whether the main thread wants a line for each observation; and observations themselves, since an objective may end the run or metrics are offered. */
  readonly reporting: { readonly lines: boolean; readonly observations: boolean };
}

/** The moment that all workers count from. */
interface StartMessage {
  readonly kind: 'begin';
  readonly startedAt: string;
  readonly machineZero: number;
}

export type ToWorker = StartMessage | { readonly kind: 'stop'; readonly grace: Milliseconds };

/** What happened since the last news. */
export interface WorkerUpdate {
  readonly kind: 'news';
  readonly motion: SliceProgress;
  readonly figures: LiveFigures;
  readonly observationLines: readonly string[];
  /** Lines of the checkpoint. */
  readonly checkpointLines: readonly string[];
  readonly observations: readonly Observation[];
}

export type FromWorker =
  | { readonly kind: 'ready' }
  | WorkerUpdate
  /** The slice is over; `cut`: it was stopped, and arrivals of the plan were left out; `spent`: by that cap of the budget. */
  | {
      readonly kind: 'over';
      readonly result: Result;
      readonly cut: boolean;
      readonly spent: BudgetUnit | null;
    };
