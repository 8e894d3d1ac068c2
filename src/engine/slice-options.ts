import { type Arrival, type Slice, sliceShareOf } from '../model/workload/arrival.ts';
import { type BudgetUnit, budgetUnits } from '../model/plan/budget.ts';
import type { ClipLibrary } from '../model/workload/clip.ts';
import type { Clock } from '../model/clock.ts';
import type { Transport } from '../model/observation/exchange.ts';
import type { Observation } from '../model/observation/observation.ts';
import type { Plan } from '../model/plan/plan.ts';
import type { Instant, Milliseconds } from '../model/quantity.ts';
import type { Workload } from '../model/workload/workload.ts';

/** A key with its value. The value may appear only in request headers. */
export interface Credential {
  readonly name: string;
  readonly weight: number;
  /** The value of the key. The value changes when a key from a command is renewed. */
  value: string;
  /**
   * The position of the key's target; absent if the plan has only one target. A request goes to the target of its key,
   * so no key is sent to another target.
   */
  readonly target?: number;
}

/** The settings that all requests to one target have in common. */
export interface SendingTarget {
  readonly auth: Plan['auth'];
  /** Additional request headers, with their secrets filled in. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The amounts that slices have spent or reserved from their part of the budget. The memory is shared by threads. It has
 * one integer for each unit of the budget, and one integer that says which cap was reached.
 */
export interface SharedBudget {
  /** The slice that owns this part of the budget. */
  readonly slice: Slice;
  readonly counters: BigInt64Array<SharedArrayBuffer>;
}

export const createSharedBudget = (slice: Slice): SharedBudget => ({
  slice,
  counters: new BigInt64Array(new SharedArrayBuffer(8 * (budgetUnits.length + 1))),
});

export interface SliceOptions {
  readonly plan: Plan;
  readonly slice: Slice;
  readonly runId: string;
  readonly credentials: readonly Credential[];
  /** Whether a test request was sent with each key just before the run. A pace must count these requests. */
  readonly keysWereUsed?: boolean;
  /** The targets in the order of the plan. Most plans have a single target. */
  readonly targets: readonly SendingTarget[];
  readonly userAgent: string;
  readonly clips: ClipLibrary;
  /** The prompts that are stored outside the plan, and the traces of the plan's loads. */
  readonly workload: Workload;
  /** The budget that this slice shares with other slices of its process; absent if the slice has its own. */
  readonly sharedBudget?: SharedBudget;
  /**
   * The slice may send until this instant, in ms of the machine's monotonic clock. The owner of the lease extends it by
   * writing a later instant. Absent if the slice needs no lease.
   */
  readonly lease?: Float64Array<SharedArrayBuffer>;
  /**
   * `isSecond` returns whether another slice sends the same request first. This slice sends such a scheduled request
   * `gap` ms later. Absent if no request is sent twice.
   */
  readonly second?: { readonly gap: number; readonly isSecond: (arrival: Arrival) => boolean };
  readonly redact: (text: string) => string;
}

export interface SlicePorts {
  readonly clock: Clock;
  /** A transport for each target, in the order of the options. */
  readonly transports: readonly Transport[];
  /** Returns whether the slice's lease has run out. After that, the slice sends nothing. Absent without a lease. */
  readonly isLeaseOver?: (now: Instant) => boolean;
  /** Called once with every observation, in the order in which requests end. */
  readonly observe: (observation: Observation) => void;
}

export interface SliceProgress {
  readonly due: number;
  readonly inFlight: number;
  /** All requests that were due before this instant have ended. Absent if the instant is unknown. */
  readonly endedBefore?: Instant;
}

export interface SliceEnd {
  /** When the load ended: at its planned end, or earlier if no request was left or the slice was stopped. */
  readonly loadEnded: Instant;
  /** Whether the slice was stopped and therefore left out arrivals of the plan. */
  readonly stopped: boolean;
  /** The unit whose budget cap ended the slice; `null` if no cap ended the slice. */
  readonly spent: BudgetUnit | null;
  readonly lostLease: boolean;
  readonly notes: readonly string[];
}

export interface RunningSlice {
  readonly done: Promise<SliceEnd>;
  progress(): SliceProgress;
  /** Ends the arrivals. Requests in flight have `grace` ms to end. A second call can shorten this time. */
  stop(grace: Milliseconds): void;
  /**
   * Ends the load as if its planned end had come. Waiting requests and requests in flight get the plan's grace period.
   */
  endLoad(): void;
}

/** The interval between checks of deadlines, in ms. An exchange is aborted at most this long after its deadline. */
export const deadlineCheckInterval = 20;

/** Returns the reason why requests in flight are aborted at the end of a slice. */
export const unfinishedDetail = (isStopped: boolean): string =>
  `unfinished when the ${isStopped ? 'run was stopped' : 'run’s grace period ended'}`;

/** Returns this slice's share of the plan's cap on requests in flight. */
export const inFlightCap = ({ plan, slice }: SliceOptions): number =>
  Math.max(1, sliceShareOf(slice, plan.inFlight) ?? 1);
