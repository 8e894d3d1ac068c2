import type { Instant } from './quantity.ts';

export interface Alarm {
  /**
   * Sets the alarm to an instant; `null` cancels the alarm. If the instant has passed, the alarm rings soon, but never
   * during this call.
   */
  set(at: Instant | null): void;
  stop(): void;
}

/**
 * The time of a run, passed as an argument. Each run has one monotonic clock. The clock is 0 when the run starts. Only
 * `platform` reads a real clock.
 */
export interface Clock {
  now(): Instant;
  /**
   * Returns the current time for a read from a socket. A real clock also records how long the read bytes may have
   * waited.
   */
  read(): Instant;
  /** Calls `tick` about every `milliseconds`. The returned function stops the calls. */
  every(milliseconds: number, tick: () => void): () => void;
  alarm(ring: () => void): Alarm;
}
