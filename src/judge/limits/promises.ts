/** How what a refusal promised compares with what came. */
export type Honesty = 'exact' | 'conservative' | 'deceptive' | 'unknown';

/** Servers tell whole seconds. */
export const promiseGrain = 1000;

/** What came after a refusal: the last one that was still refused, and the next one that was let in. */
export interface Aftermath {
  readonly stillRefused: number;
  /** The first byte of its answer; `null` when nothing was let in again. */
  readonly letIn: number | null;
}

/** A promise is deceptive if the key was still refused later than it said, and conservative if it was let in long before; instants in ms. */
export const honestyOf = (promised: number, { stillRefused, letIn }: Aftermath): Honesty => {
  if (promised < stillRefused - promiseGrain) return 'deceptive';
  if (letIn === null) return 'unknown';
  return promised > letIn + promiseGrain ? 'conservative' : 'exact';
};
