import type { MeasureName } from '../measures/measures.ts';
import type { TrafficKind } from '../workload/traffic.ts';

/**
 * The trust in a run. Only a load that was not the planned one makes it `invalid`. `degraded`: some headline figures
 * are approximate or unknown, or what of the load differs is small or not verified.
 */
export type TrustLevel = 'valid' | 'degraded' | 'invalid';

export interface TrustSignal {
  readonly signal: string;
  /** Whether the signal decides the verdict, or only shows causes. */
  readonly decides: boolean;
  readonly level: TrustLevel;
  readonly observed: string;
  /** The value that a healthy load generator shows, in words. */
  readonly expected: string;
  /** Advice to the user; `null` for none. */
  readonly advice: string | null;
}

/** The bounds of a figure's true value; `high` can be infinite. */
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
