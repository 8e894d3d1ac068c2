import type { MeasureName } from '../measures/measures.ts';
import type { TrafficKind } from '../workload/traffic.ts';

/**
 * How far a run can be trusted. `invalid`: the load was not as planned. `degraded`: a headline figure is approximate or
 * unknown, or the load differs slightly from the plan or could not be verified.
 */
export type TrustLevel = 'valid' | 'degraded' | 'invalid';

export interface TrustSignal {
  readonly signal: string;
  /** Whether the signal decides the verdict. Any other signal only shows causes. */
  readonly decides: boolean;
  readonly level: TrustLevel;
  readonly observed: string;
  /** The value of the signal with a healthy load generator, in words. */
  readonly expected: string;
  readonly advice: string | null;
}

/** The bounds of a figure's true value. `high` can be infinite. */
export interface ErrorBounds {
  readonly low: number;
  readonly high: number;
}

export interface FigureError extends ErrorBounds {
  readonly traffic: TrafficKind;
  readonly measure: MeasureName;
  readonly q: number;
  readonly value: number;
  readonly isHeadline: boolean;
  readonly isWeak: boolean;
  /** Whether the error is at most 5 % of the figure, at most 1 ms, or within the figure's confidence interval. */
  readonly isSmall: boolean;
}

export interface Trust {
  readonly level: TrustLevel;
  readonly evidence: readonly TrustSignal[];
  readonly figures: readonly FigureError[];
}
