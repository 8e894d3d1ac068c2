import type { MeasureName } from '../measures/measures.ts';
import type { TrafficKind } from '../workload/traffic.ts';

/**
 * The trust in a run. Only a load that was not the planned one makes it `invalid`. `degraded`: some headline figures
 * are approximate or unknown, or what of the load differs is small or not verified.
 */
export type TrustLevel = 'valid' | 'degraded' | 'invalid';

export interface TrustSignal {
  readonly signal: string;
  /** Whether it decides the verdict, or is evidence of causes. */
  readonly decides: boolean;
  readonly level: TrustLevel;
  readonly observed: string;
  /** What a healthy generator shows. */
  readonly expected: string;
  /** What to do; `null` if nothing. */
  readonly advice: string | null;
}

/** Where the true value of a figure lies; `high` can be infinite. */
export interface ErrorBounds {
  readonly low: number;
  readonly high: number;
}

/** A percentile of a measure of one kind of traffic, with its error. */
export interface FigureError extends ErrorBounds {
  readonly traffic: TrafficKind;
  readonly measure: MeasureName;
  readonly q: number;
  readonly value: number;
  readonly isHeadline: boolean;
  readonly isWeak: boolean;
  /** Whether the error is at most 5 % of the figure or 1 ms, or inside its confidence interval. */
  readonly isSmall: boolean;
}

export interface Trust {
  readonly level: TrustLevel;
  readonly evidence: readonly TrustSignal[];
  readonly figures: readonly FigureError[];
}
