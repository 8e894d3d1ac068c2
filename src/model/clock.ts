import type { Instant } from './quantity.ts';

/** Calls back at an instant that can be changed until it is reached. */
export interface Alarm {
  /** Sets the instant; `null` cancels the alarm. A past instant calls back soon, but never during this call. */
  set(at: Instant | null): void;
  stop(): void;
}

/**
 * The time of a run, passed as an argument. Each run has one monotonic clock, which is 0 at its start; only `platform`
 * reads a real one.
 */
export interface Clock {
  now(): Instant;
  /** Returns the current time for a read from a socket. A real clock also notes how long the bytes can have waited. */
  read(): Instant;
  /** Calls `tick` about every `milliseconds` until the returned function is called. */
  every(milliseconds: number, tick: () => void): () => void;
  /** Creates an alarm that is not set. */
  alarm(ring: () => void): Alarm;
}
