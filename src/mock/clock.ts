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
  /**
   * Runs `run` at `due` as `at` does, then at each instant that it returns, until that is `null`; the returned
   * function calls off what is left. To set the next one costs no memory, which a stream of tokens is glad of.
   */
  series(due: number, run: () => number | null): () => void;
}

/** A clock that stands still until it is moved. */
export interface MovableClock extends MockClock {
  /** Moves on by so many milliseconds and runs what falls due on the way, in the order of the deadlines. */
  advance(milliseconds: number): void;
}

/** A series that ends with its first instant. */
export const once = (run: () => void) => (): null => {
  run();
  return null;
};
