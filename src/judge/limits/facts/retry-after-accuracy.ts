/** How what a refusal promised compares with what came. */
export type WaitAccuracy = 'exact' | 'conservative' | 'deceptive' | 'unknown';

/** Servers tell whole seconds. */
export const retryAfterTolerance = 1000;

/** What came after a refusal: the last one that was still refused, and the next one that was let in. */
export interface RefusalFollowUp {
  readonly stillRefused: number;
  /** The first byte of its answer; `null` when nothing was let in again. */
  readonly admittedAgain: number | null;
}

/** A promise is deceptive if the key was still refused later than it said, and conservative if it was let in long before; instants in ms. */
export const retryAfterAccuracyOf = (
  promised: number,
  { stillRefused, admittedAgain }: RefusalFollowUp,
): WaitAccuracy => {
  if (promised < stillRefused - retryAfterTolerance) return 'deceptive';
  if (admittedAgain === null) return 'unknown';
  return promised > admittedAgain + retryAfterTolerance ? 'conservative' : 'exact';
};
