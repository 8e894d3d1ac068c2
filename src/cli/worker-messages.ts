import type { Account } from '../engine/purse.ts';
import type { Credential, Motion } from '../engine/slice-order.ts';
import type { Slice } from '../model/arrival.ts';
import type { BudgetUnit } from '../model/budget.ts';
import type { Clip, ClipSource } from '../model/clip.ts';
import type { Observation } from '../model/observation.ts';
import type { Plan } from '../model/plan.ts';
import type { Milliseconds } from '../model/quantity.ts';
import type { Result } from '../model/result.ts';
import type { CanaryWay } from '../platform/canary/canary-streams.ts';
import type { LiveNews } from './live.ts';
import type { Way } from './own-slice.ts';

/** What a run's main thread and its workers say to one another: plain data, which crosses threads. */

/** What a worker is brought when it starts. */
export interface WorkerOrder {
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
  readonly folder: string;
  readonly way: Way;
  /** Each worker has canary streams of its own, of one emitter. */
  readonly canary: CanaryWay | null;
  /** What all workers spend of a budget together. */
  readonly account: Account;
  /** Whether the main thread wants a line for each observation; and observations themselves, since an objective may end the run or metrics are offered. */
  readonly wants: { readonly lines: boolean; readonly observations: boolean };
}

/** The moment that all workers count from. */
interface Begin {
  readonly kind: 'begin';
  readonly startedAt: string;
  readonly machineZero: number;
}

export type ToWorker = Begin | { readonly kind: 'stop'; readonly grace: Milliseconds };

/** What happened since the last news. */
export interface News {
  readonly kind: 'news';
  readonly motion: Motion;
  readonly live: LiveNews;
  readonly lines: readonly string[];
  /** Lines of the checkpoint. */
  readonly kept: readonly string[];
  readonly observations: readonly Observation[];
}

export type FromWorker =
  | { readonly kind: 'ready' }
  | News
  /** The slice is over; `cut`: it was stopped, and arrivals of the plan were left out; `spent`: by that cap of the budget. */
  | {
      readonly kind: 'over';
      readonly result: Result;
      readonly cut: boolean;
      readonly spent: BudgetUnit | null;
    };
