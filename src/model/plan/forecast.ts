import type { BudgetUnit } from './budget.ts';
import type { FleetForecast, SliceForecast } from './slice-forecast.ts';
import type { MeasureName } from '../measures/measures.ts';
import type { Milliseconds } from '../quantity.ts';
import type { Traffic, TrafficKind } from '../workload/traffic.ts';

/**
 * This file defines the forecast of a plan: the arrivals and their contents, without failures and retries. Money is in
 * millionths of the currency.
 */

/**
 * The certainty of an amount. `at-most`: the real amount may be smaller, because answers may be shorter or users may be
 * slower. `estimate`: the amount is assumed or sampled.
 */
export type AmountBasis = 'exact' | 'at-most' | 'estimate';

/** A forecast amount. `unknown` counts the requests of unknown amount, which `sum` leaves out. */
export interface ForecastAmount {
  readonly sum: number;
  readonly basis: AmountBasis;
  readonly unknown: number;
}

export interface ResourceNeed {
  readonly requests: ForecastAmount;
  readonly input: ForecastAmount;
  readonly output: ForecastAmount;
  readonly cost: ForecastAmount;
}

export interface ForecastGroup extends ResourceNeed {
  readonly stage: string;
  /** The population of the stage; absent in a plan without populations. */
  readonly population?: string;
  /** The named target of the population; absent if the plan's only target has no name. */
  readonly target?: string;
  readonly traffic: TrafficKind;
  readonly model: string | null;
  readonly entry: string | null;
  /** The key's name; `null` with a pace, because a pace takes any free key. */
  readonly key: string | null;
  /** The number of requests due after the warm-up. */
  readonly measured: number;
  /** The number of these requests on which the client hangs up. Such a request has no samples of times. */
  readonly hangUps: number;
  /** The maximum number of gaps between chunks; `null` if the number has no bound. */
  readonly gaps: number | null;
}

export type LimitUnit = 'requests' | 'tokens';

export interface MinutePeak {
  readonly requests: number;
  readonly tokens: number;
}

/** The part of the keys' declared limits that a plan uses. A run with a pace stays within these limits. */
export interface LimitForecast {
  readonly keys: readonly (MinutePeak & { readonly key: string })[];
  readonly all: MinutePeak;
  /** The limit that the plan reaches first; `null` if no limit is declared. */
  readonly binds: LimitUnit | null;
  /**
   * How many keys are enough for the busiest minute if the plan uses all keys evenly. `null` if no limit is declared,
   * or if targets are named, because a key of one target cannot replace a key of another target.
   */
  readonly keysNeeded: number | null;
  /** The keys whose busiest minute exceeds a limit. */
  readonly exceeded: readonly string[];
}

export interface PaceForecast {
  /** The last request cannot be sent earlier than this, in ms from the start of the run. */
  readonly lastRelease: Milliseconds;
  readonly longestWait: Milliseconds;
  /** How many requests the request limit delays beyond their total deadline or the run's end. They cannot be sent. */
  readonly unsendable: number;
  /** How long the run takes if only the limit of tokens slows it. */
  readonly tokenTime: Milliseconds;
}

/** How many samples a measure will have if every request succeeds. */
export interface SampleForecast {
  readonly measure: MeasureName;
  readonly traffic: TrafficKind;
  readonly samples: number;
}

/** Whether an objective can get enough samples. Counts and rates need no minimum. */
export interface ObjectiveForecast {
  readonly text: string;
  readonly needs: number | null;
  readonly expects: number | null;
  /** Whether an objective can be decided; `null` if only the answers of the run can show this. */
  readonly isDecidable: boolean | null;
}

export interface BudgetForecast {
  readonly unit: BudgetUnit;
  readonly cap: number;
  readonly need: ForecastAmount;
}

/**
 * Which shares of the prompt tokens of one traffic kind and model are read from a cache (`cached`) and written to a
 * cache (`written`), from 0 to 1.
 */
export interface CachedShare {
  readonly traffic: TrafficKind;
  readonly model: string | null;
  readonly cached: number;
  readonly written: number;
  /** The number of answers that report cached tokens. */
  readonly answers: number;
}

export interface Forecast {
  readonly format: 'forecast/1';
  readonly name: string;
  readonly total: ResourceNeed;
  readonly groups: readonly ForecastGroup[];
  /** How long the load lasts, and how long the run may continue after it. */
  readonly scheduled: Milliseconds;
  readonly grace: Milliseconds;
  /** The assumed time until an answer; `null` if no user waits for answers. */
  readonly answerTime: Milliseconds | null;
  /** The sampling step: the forecast examined one request in every `lookedInto` requests. */
  readonly lookedInto: number;
  readonly attempts: number;
  readonly limits: LimitForecast;
  readonly pace: PaceForecast | null;
  readonly samples: readonly SampleForecast[];
  readonly objectives: readonly ObjectiveForecast[];
  readonly budget: readonly BudgetForecast[];
  /** The needs of each slice; `null` if the caller did not ask for slices. */
  readonly slices: SliceForecast | null;
  /** The needs of all slices together; absent if the caller did not ask for slices. */
  readonly fleet?: FleetForecast;
  /**
   * The shares of cached prompt tokens that the forecast assumes, from an earlier result; absent without an earlier
   * result.
   */
  readonly cachedShares?: readonly CachedShare[];
}

export const entryName = ({ name }: Traffic): string | null => name ?? null;
