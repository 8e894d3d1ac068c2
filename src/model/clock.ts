import type { Instant } from './quantity.ts';

/** Calls back at an instant that can be changed until then. */
export interface Alarm {
  /** Calls back once at this instant, or soon if it has passed, but never during this call; `null`: not at all. */
  set(at: Instant | null): void;
  stop(): void;
}

/**
 * Time as an argument: nothing outside `platform` reads a real clock. A run has one monotonic clock
 * that starts at 0 with the run.
 */
export interface Clock {
  now(): Instant;
  /** Now, as the instant of a read from a socket; a real clock also notes how long its bytes can have waited. */
  read(): Instant;
  /** Calls `tick` about every `milliseconds` until the returned function is called. */
  every(milliseconds: number, tick: () => void): () => void;
  /** An alarm that is not set. */
  alarm(ring: () => void): Alarm;
}
