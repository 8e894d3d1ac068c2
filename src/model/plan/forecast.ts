import type { BudgetUnit } from './budget.ts';
import type { MeasureName } from '../measures/measures.ts';
import type { Milliseconds } from '../quantity.ts';
import type { Traffic, TrafficKind } from '../workload/traffic.ts';

/**
 * What a plan will take, known before anything is sent: the arrivals and contents of the run itself,
 * only counted. Without failures and further attempts; money in whole micro-units.
 */

/**
 * How sure a sum is: `exact`; `at-most`, where answers may be shorter or users slower; `estimate`, where
 * texts were not counted by a tokenizer, the time of answers was assumed, or large plans were sampled.
 */
export type AmountBasis = 'exact' | 'at-most' | 'estimate';

/** A sum, and of how many requests it has nothing since theirs is unknown. */
export interface ForecastAmount {
  readonly sum: number;
  readonly basis: AmountBasis;
  readonly unknown: number;
}

/** What some requests need. */
export interface ResourceNeed {
  readonly requests: ForecastAmount;
  readonly input: ForecastAmount;
  readonly output: ForecastAmount;
  readonly cost: ForecastAmount;
}

/** Requests of one stage, entry and key. */
export interface ForecastGroup extends ResourceNeed {
  readonly stage: string;
  readonly traffic: TrafficKind;
  readonly model: string | null;
  readonly entry: string | null;
  /** `null` where a pace takes whichever key is free. */
  readonly key: string | null;
  /** Requests due after the warm-up: each that succeeds is a sample. */
  readonly measured: number;
  /** Chunk gaps that they have at most: one fewer than tokens; `null` where nothing bounds them. */
  readonly gaps: number | null;
}

export type LimitUnit = 'requests' | 'tokens';

/** The most that is due in any minute, held against what a key may have. */
export interface MinutePeak {
  readonly requests: number;
  readonly tokens: number;
}

/** How a plan stands to the limits that its scenario declares for each key; not under a pace, which keeps them. */
export interface LimitForecast {
  readonly keys: readonly (MinutePeak & { readonly key: string })[];
  /** All keys together. */
  readonly all: MinutePeak;
  /** Of both limits the one that is nearest to its end; `null` where none is declared. */
  readonly binds: LimitUnit | null;
  /** Keys that would do, evenly used; `null` where no limit is declared. */
  readonly keysNeeded: number | null;
  /** The keys whose fullest minute is over a limit: 429s are to be expected. */
  readonly exceeded: readonly string[];
}

/** What keeping to a pace takes at least. */
export interface PaceForecast {
  /** When the last request could go at the earliest. */
  readonly lastRelease: Milliseconds;
  readonly longestWait: Milliseconds;
  /** Requests that cannot be sent before the run or their patience ends, by the limit of requests alone. */
  readonly unsendable: number;
  /** How long the tokens alone need. */
  readonly tokenTime: Milliseconds;
}

/** Samples that a measure can have at most: every request of its kinds succeeds. */
export interface SampleForecast {
  readonly measure: MeasureName;
  readonly traffic: TrafficKind;
  readonly samples: number;
}

/** Whether an objective can be decided with the samples to be expected; counts and rates need none. */
export interface ObjectiveForecast {
  readonly text: string;
  readonly needs: number | null;
  readonly expects: number | null;
  /** `null` where only the answers tell. */
  readonly isDecidable: boolean | null;
}

/** A cap of the budget, and what may be needed of it. */
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
  /** The load, and what comes after it at most. */
  readonly scheduled: Milliseconds;
  readonly grace: Milliseconds;
  /** How long every answer was taken to last where users wait for theirs; `null` without such. */
  readonly answerTime: Milliseconds | null;
  /** Of so many requests one was looked into; 1 is all of them. */
  readonly lookedInto: number;
  readonly attempts: number;
  readonly limits: LimitForecast;
  readonly pace: PaceForecast | null;
  readonly samples: readonly SampleForecast[];
  readonly objectives: readonly ObjectiveForecast[];
  readonly budget: readonly BudgetForecast[];
}

/** The entry's own name. */
export const entryName = ({ name }: Traffic): string | null => name ?? null;
