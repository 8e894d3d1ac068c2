import type { SharedBudget } from './shared-budget.ts';
import type { Slice } from '../model/workload/arrival.ts';
import type { BudgetUnit } from '../model/plan/budget.ts';
import type { ClipLibrary } from '../model/workload/clip.ts';
import type { Clock } from '../model/clock.ts';
import type { Transport } from '../model/observation/exchange.ts';
import type { Observation } from '../model/observation/observation.ts';
import type { Plan } from '../model/plan/plan.ts';
import type { Instant, Milliseconds } from '../model/quantity.ts';
import type { Workload } from '../model/workload/workload.ts';

/** What goes into a running slice, and what comes out of it. */

/** A key with its value, for the engine's request heads only. */
export interface Credential {
  readonly name: string;
  readonly weight: number;
  readonly value: string;
}

/** What a slice of a run needs to know. */
export interface SliceOptions {
  readonly plan: Plan;
  readonly slice: Slice;
  readonly runId: string;
  readonly credentials: readonly Credential[];
  /** Extra request headers, secrets filled in. */
  readonly headers: Readonly<Record<string, string>>;
  readonly userAgent: string;
  /** What transcription entries upload. */
  readonly clips: ClipLibrary;
  /** Prompts that do not stand in the plan, and the traces of its loads. */
  readonly workload: Workload;
  /** What this slice spends of a budget together with others of this process; by itself where there is none. */
  readonly sharedBudget?: SharedBudget;
  /** Masks the run's secrets in whatever a server says. */
  readonly redact: (text: string) => string;
}

export interface SlicePorts {
  readonly clock: Clock;
  readonly transport: Transport;
  /** Takes every observation, once, in the order in which they end. */
  readonly observe: (observation: Observation) => void;
}

/** What is going on right now, for the live display. */
export interface SliceProgress {
  readonly due: number;
  readonly inFlight: number;
}

export interface SliceEnd {
  /** When the load ended: by the plan, when nothing was left to ask, or where it was stopped. */
  readonly loadEnded: Instant;
  /** Whether arrivals of the plan were left out because the slice was stopped. */
  readonly stopped: boolean;
  /** The cap of the budget that ended it. */
  readonly spent: BudgetUnit | null;
  readonly notes: readonly string[];
}

/** A slice of a run in motion. */
export interface RunningSlice {
  readonly done: Promise<SliceEnd>;
  progress(): SliceProgress;
  /** No new arrivals; what is in flight may still end within `grace`. A second call can shorten the grace. */
  stop(grace: Milliseconds): void;
}

/** This slice's part of the plan's cap on exchanges in flight. */
export const inFlightCap = ({ plan, slice }: SliceOptions): number =>
  Math.max(
    1,
    Math.floor(plan.inFlight / slice.count) + (slice.index < plan.inFlight % slice.count ? 1 : 0),
  );
