import { type Slice, sliceShareOf } from '../model/workload/arrival.ts';
import { type BudgetUnit, budgetUnits } from '../model/plan/budget.ts';
import type { ClipLibrary } from '../model/workload/clip.ts';
import type { Clock } from '../model/clock.ts';
import type { Transport } from '../model/observation/exchange.ts';
import type { Observation } from '../model/observation/observation.ts';
import type { Plan } from '../model/plan/plan.ts';
import type { Instant, Milliseconds } from '../model/quantity.ts';
import type { Workload } from '../model/workload/workload.ts';

/** A key with its value, for request headers only. */
export interface Credential {
  readonly name: string;
  readonly weight: number;
  /** The key's value. It changes when a key that comes from a command is renewed. */
  value: string;
}

/**
 * What is spent and reserved of a slice's part of the budget, in memory that threads share: a whole number for each
 * unit of the budget, and one for the cap that was reached.
 */
export interface SharedBudget {
  /** The slice whose part of the budget this is. */
  readonly slice: Slice;
  readonly counters: BigInt64Array<SharedArrayBuffer>;
}

export const createSharedBudget = (slice: Slice): SharedBudget => ({
  slice,
  counters: new BigInt64Array(new SharedArrayBuffer(8 * (budgetUnits.length + 1))),
});

/** The input of a slice of a run. */
export interface SliceOptions {
  readonly plan: Plan;
  readonly slice: Slice;
  readonly runId: string;
  readonly credentials: readonly Credential[];
  /** Whether each key has already sent a request just before the run, which a pace must count. */
  readonly keysWereUsed?: boolean;
  /** Extra request headers, with secrets filled in. */
  readonly headers: Readonly<Record<string, string>>;
  readonly userAgent: string;
  /** The audio clips that transcription entries upload. */
  readonly clips: ClipLibrary;
  /** The prompts that are not part of the plan, and the traces of its loads. */
  readonly workload: Workload;
  /** The budget that this slice shares with others of this process; absent if the slice has its own. */
  readonly sharedBudget?: SharedBudget;
  /**
   * Until when the slice may send, in ms of the machine's monotonic clock. Its owner extends it; absent if no lease is
   * needed.
   */
  readonly lease?: Float64Array<SharedArrayBuffer>;
  /** Masks the run's secrets in a text from a server. */
  readonly redact: (text: string) => string;
}

export interface SlicePorts {
  readonly clock: Clock;
  readonly transport: Transport;
  /** Returns whether the slice's lease has run out; then it sends nothing more. Absent without a lease. */
  readonly isLeaseOver?: (now: Instant) => boolean;
  /** Called once with every observation, in the order in which requests end. */
  readonly observe: (observation: Observation) => void;
}

/** The counts of requests so far, for the live display. */
export interface SliceProgress {
  readonly due: number;
  readonly inFlight: number;
}

export interface SliceEnd {
  /** When the load ended: by the plan, when nothing was left to send, or when it was stopped. */
  readonly loadEnded: Instant;
  /** Whether arrivals of the plan were left out because the slice was stopped. */
  readonly stopped: boolean;
  /** The cap of the budget that ended the slice; `null` for none. */
  readonly spent: BudgetUnit | null;
  readonly lostLease: boolean;
  readonly notes: readonly string[];
}

export interface RunningSlice {
  readonly done: Promise<SliceEnd>;
  progress(): SliceProgress;
  /** Ends the arrivals. Requests in flight have `grace` ms to end. A second call can shorten the grace. */
  stop(grace: Milliseconds): void;
  /** Ends the load as its plan would: requests that wait or are in flight have the plan's grace. */
  endLoad(): void;
}

/** The interval between checks of deadlines, in ms: an exchange is aborted at most this much too late. */
export const deadlineCheckInterval = 20;

/** Says why requests in flight are aborted at the end of a slice. */
export const unfinishedDetail = (isStopped: boolean): string =>
  `unfinished when the ${isStopped ? 'run was stopped' : 'run’s grace period ended'}`;

/** Returns this slice's share of the plan's cap on requests in flight. */
export const inFlightCap = ({ plan, slice }: SliceOptions): number =>
  Math.max(1, sliceShareOf(slice, plan.inFlight) ?? 1);
