/** A retry time compared with when the key was admitted again. */
export type WaitAccuracy = 'exact' | 'conservative' | 'deceptive' | 'unknown';

/** Servers report whole seconds. */
export const retryAfterTolerance = 1000;

/** The last request that was still refused, and the next one that was admitted. */
interface RefusalFollowUp {
  readonly stillRefused: number;
  /** The first byte of its answer; `null` if nothing was admitted again. */
  readonly admittedAgain: number | null;
}

/** `deceptive`: the key was still refused after the promised time; `conservative`: it was admitted long before. Instants in ms. */
export const retryAfterAccuracyOf = (
  promised: number,
  { stillRefused, admittedAgain }: RefusalFollowUp,
): WaitAccuracy => {
  if (promised < stillRefused - retryAfterTolerance) return 'deceptive';
  if (admittedAgain === null) return 'unknown';
  return promised > admittedAgain + retryAfterTolerance ? 'conservative' : 'exact';
};
