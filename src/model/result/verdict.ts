/** What a judge says of a result. */

/** Whether the generator itself was healthy enough for its figures to be believed. */
export type TrustLevel = 'valid' | 'degraded' | 'invalid';

/** One signal of the generator, held against its level. */
export interface TrustSignal {
  readonly signal: string;
  readonly level: TrustLevel;
  /** What was seen, in words with units. */
  readonly observed: string;
  /** What a healthy generator shows. */
  readonly expected: string;
  /** What to do about it; `null` when there is nothing to do. */
  readonly advice: string | null;
}

/** The first verdict of every report. */
export interface Trust {
  readonly level: TrustLevel;
  readonly evidence: readonly TrustSignal[];
}
