/**
 * How accurate the retry time of a refusal was, compared with the instant at which the gateway admitted the key again.
 */
export type WaitAccuracy = 'exact' | 'conservative' | 'deceptive' | 'unknown';

/**
 * The tolerance of a retry time, in ms. Servers report whole seconds, so a correct retry time can be wrong by a second.
 */
export const retryAfterTolerance = 1000;

/** What happened after a refusal. Instants are in ms. */
interface RefusalFollowUp {
  /** When the client sent the last request that was still refused. */
  readonly stillRefused: number;
  /** The instant at which the next admitted request was answered; `null` if no request was admitted afterwards. */
  readonly admittedAgain: number | null;
}

/**
 * Rates a retry time: `deceptive` if the key was still refused more than a second after this time, `conservative` if
 * the key was admitted more than a second before this time.
 */
export const retryAfterAccuracyOf = (
  promised: number,
  { stillRefused, admittedAgain }: RefusalFollowUp,
): WaitAccuracy => {
  if (promised < stillRefused - retryAfterTolerance) return 'deceptive';
  if (admittedAgain === null) return 'unknown';
  return promised > admittedAgain + retryAfterTolerance ? 'conservative' : 'exact';
};
