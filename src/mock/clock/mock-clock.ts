export interface MockClock {
  /** Returns milliseconds on a monotonic clock. */
  now(): number;
  /** Returns milliseconds since 1970, UTC, for `Date` headers. */
  wall(): number;
  /** Runs `run` once `now()` has reached `due`, never before. The returned function cancels it. */
  at(due: number, run: () => void): () => void;
  /**
   * Runs `recurring` at `due`, then at each time that it returns, until it returns `null`. The returned function
   * cancels the rest. One entry serves all tokens of a stream: entries for single tokens would live long enough to
   * burden the garbage collector.
   */
  series(due: number, recurring: Recurring): () => void;
  /**
   * Runs `run` at the end of this turn of the event loop, or at once on a manual clock. Answers that are written
   * together wake up a client once. Written one by one, they would wake it up each time, which takes a third of a
   * chat's time.
   */
  atEndOfTurn(run: () => void): void;
}

/**
 * Work that recurs. It is an object, since a closure would be two objects. With thousands of streams, a stream's
 * objects are not in the processor's cache when its token is due, so access to each costs 0.2 µs.
 */
export interface Recurring {
  /** Returns the time of its next run, or `null` when it is done. */
  run(): number | null;
}

/** A manual clock. It stands still until it is advanced. */
export interface AdjustableMockClock extends MockClock {
  /** Advances the clock and runs everything that becomes due, in the order of the due times. */
  advance(milliseconds: number): void;
}

export const once = (run: () => void): Recurring => ({
  run: () => {
    run();
    return null;
  },
});
