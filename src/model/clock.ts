import type { Instant } from './quantity.ts';

/** Calls back at an instant that can be changed until then. */
export interface Alarm {
  /** Sets the instant, `null` for none. A past one calls back soon, but never during this call. */
  set(at: Instant | null): void;
  stop(): void;
}

/** Time as an argument. A run has one monotonic clock, which is 0 at its start; only `platform` reads a real one. */
export interface Clock {
  now(): Instant;
  /** Now, as the instant of a read from a socket. A real clock also notes how long its bytes can have waited. */
  read(): Instant;
  /** Calls `tick` about every `milliseconds` until the returned function is called. */
  every(milliseconds: number, tick: () => void): () => void;
  /** An alarm that is not set. */
  alarm(ring: () => void): Alarm;
}
