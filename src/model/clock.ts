import type { Instant } from './quantity.ts';

/**
 * Time, handed in as an argument: nothing outside `platform` reads a real clock. One run has one
 * monotonic clock whose zero is the run's beginning.
 */
export interface Clock {
  now(): Instant;
  /** Calls `tick` about every `milliseconds` until the returned function is called. */
  every(milliseconds: number, tick: () => void): () => void;
}
