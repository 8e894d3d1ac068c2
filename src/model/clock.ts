import type { Instant } from './quantity.ts';

export interface Alarm {
  /**
   * Sets the instant; `null` cancels the alarm. If the instant is past, the function is called soon, but never during
   * this call.
   */
  set(at: Instant | null): void;
  stop(): void;
}

/**
 * The time of a run, passed as an argument. Each run has one monotonic clock, which is 0 at its start. Only `platform`
 * reads a real clock.
 */
export interface Clock {
  now(): Instant;
  /**
   * Returns the current time for a read from a socket. A real clock also records how long the bytes may have waited.
   */
  read(): Instant;
  /** Calls `tick` about every `milliseconds`. The returned function stops the calls. */
  every(milliseconds: number, tick: () => void): () => void;
  alarm(ring: () => void): Alarm;
}
