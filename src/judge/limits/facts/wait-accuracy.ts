/** The accuracy of a retry time, compared with when the key was admitted again. */
export type WaitAccuracy = 'exact' | 'conservative' | 'deceptive' | 'unknown';

/** The tolerance of a retry time, in ms: servers report whole seconds. */
export const retryAfterTolerance = 1000;

/** The instants, in ms, of the last request that was still refused and of the next one that was admitted. */
interface RefusalFollowUp {
  readonly stillRefused: number;
  /** The first byte of the answer of the next admission; `null` if nothing was admitted again. */
  readonly admittedAgain: number | null;
}

/**
 * Rates a retry time. It is `deceptive` if the key was still refused after it, and `conservative` if the key was
 * admitted long before it. Instants in ms.
 */
export const retryAfterAccuracyOf = (
  promised: number,
  { stillRefused, admittedAgain }: RefusalFollowUp,
): WaitAccuracy => {
  if (promised < stillRefused - retryAfterTolerance) return 'deceptive';
  if (admittedAgain === null) return 'unknown';
  return promised > admittedAgain + retryAfterTolerance ? 'conservative' : 'exact';
};
