/** Whether the load generator was healthy enough to trust its figures. */
export type TrustLevel = 'valid' | 'degraded' | 'invalid';

export interface TrustSignal {
  readonly signal: string;
  readonly level: TrustLevel;
  /** Text with units. */
  readonly observed: string;
  /** What a healthy generator shows. */
  readonly expected: string;
  /** What to do; `null` if nothing. */
  readonly advice: string | null;
}

/** The first verdict of every report. */
export interface Trust {
  readonly level: TrustLevel;
  readonly evidence: readonly TrustSignal[];
}
