import type { BudgetUnit } from './budget.ts';
import type { SliceForecast } from './slice-forecast.ts';
import type { MeasureName } from '../measures/measures.ts';
import type { Milliseconds } from '../quantity.ts';
import type { Traffic, TrafficKind } from '../workload/traffic.ts';

/**
 * The forecast of a plan before anything is sent: the arrivals and contents of the run, counted only.
 * Without failures and further attempts; money in whole micro-units.
 */

/**
 * `at-most`: answers can be shorter or users slower. `estimate`: texts were not counted by a tokenizer,
 * the time of answers was assumed, or a large plan was sampled.
 */
export type AmountBasis = 'exact' | 'at-most' | 'estimate';

/** A sum, and the number of requests whose amount is unknown and not in it. */
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

/** The requests of one stage, entry and key. */
export interface ForecastGroup extends ResourceNeed {
  readonly stage: string;
  readonly traffic: TrafficKind;
  readonly model: string | null;
  readonly entry: string | null;
  /** `null` under a pace, which takes any free key. */
  readonly key: string | null;
  /** Requests due after the warm-up: each that succeeds is a sample. */
  readonly measured: number;
  /** Maximum chunk gaps: one fewer than tokens; `null` if unbounded. */
  readonly gaps: number | null;
}

export type LimitUnit = 'requests' | 'tokens';

export interface MinutePeak {
  readonly requests: number;
  readonly tokens: number;
}

/** A plan compared with the limits that its scenario declares for each key; not under a pace, which keeps them. */
export interface LimitForecast {
  readonly keys: readonly (MinutePeak & { readonly key: string })[];
  readonly all: MinutePeak;
  /** The limit that is reached first; `null` if none is declared. */
  readonly binds: LimitUnit | null;
  /** Keys that would suffice, evenly used; `null` if no limit is declared. */
  readonly keysNeeded: number | null;
  /** The keys whose busiest minute exceeds a limit: expect 429s. */
  readonly exceeded: readonly string[];
}

export interface PaceForecast {
  /** The earliest time of the last request. */
  readonly lastRelease: Milliseconds;
  readonly longestWait: Milliseconds;
  /** Requests that cannot be sent before the run or their timeout ends, by the limit of requests alone. */
  readonly unsendable: number;
  /** The time that the limit of tokens alone requires. */
  readonly tokenTime: Milliseconds;
}

/** Maximum samples of a measure: every request of its kinds succeeds. */
export interface SampleForecast {
  readonly measure: MeasureName;
  readonly traffic: TrafficKind;
  readonly samples: number;
}

/** Whether the expected samples suffice to decide an objective; counts and rates need none. */
export interface ObjectiveForecast {
  readonly text: string;
  readonly needs: number | null;
  readonly expects: number | null;
  /** `null` if only the answers can show it. */
  readonly isDecidable: boolean | null;
}

export interface BudgetForecast {
  readonly unit: BudgetUnit;
  readonly cap: number;
  readonly need: ForecastAmount;
}

export interface Forecast {
  readonly format: 'forecast/1';
  readonly name: string;
  readonly total: ResourceNeed;
  readonly groups: readonly ForecastGroup[];
  /** The duration of the load, and the maximum time after it. */
  readonly scheduled: Milliseconds;
  readonly grace: Milliseconds;
  /** The assumed time of an answer if users wait for it; `null` otherwise. */
  readonly answerTime: Milliseconds | null;
  /** One in this many requests was sampled; 1 is all of them. */
  readonly lookedInto: number;
  readonly attempts: number;
  readonly limits: LimitForecast;
  readonly pace: PaceForecast | null;
  readonly samples: readonly SampleForecast[];
  readonly objectives: readonly ObjectiveForecast[];
  readonly budget: readonly BudgetForecast[];
  /** What each slice needs; `null` where it was not asked for. */
  readonly slices: SliceForecast | null;
}

export const entryName = ({ name }: Traffic): string | null => name ?? null;
