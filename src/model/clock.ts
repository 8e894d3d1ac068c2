import type { Instant } from './quantity.ts';

/**
 * Time as an argument: nothing outside `platform` reads a real clock. A run has one monotonic clock
 * that starts at 0 with the run.
 */
export interface Clock {
  now(): Instant;
  /** Calls `tick` about every `milliseconds` until the returned function is called. */
  every(milliseconds: number, tick: () => void): () => void;
}
