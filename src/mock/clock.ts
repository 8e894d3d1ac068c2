/**
 * The mock's time, handed in: the process gives it the machine's clock, tests one that they move by
 * hand, so that nobody waits a minute for a window to pass.
 */
export interface MockClock {
  /** Milliseconds on a monotonic clock. */
  now(): number;
  /** Milliseconds since 1970, UTC; what `Date` headers tell. */
  wall(): number;
  /** Runs `run` once `now()` has reached `due`, never before; the returned function calls it off. */
  at(due: number, run: () => void): () => void;
}
