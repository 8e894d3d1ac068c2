export interface MockClock {
  /** Returns milliseconds on a monotonic clock. */
  now(): number;
  /** Returns milliseconds since 1970, UTC, for `Date` headers. */
  wall(): number;
  /** Runs `run` when `now()` has reached `due`, and never before. The returned function cancels the run. */
  at(due: number, run: () => void): () => void;
  /**
   * Runs `recurring` at `due`, then at each time that `recurring` returns, until it returns `null`. The returned
   * function cancels all further runs. A stream uses one series for all its tokens. A separate entry of the clock for
   * each token would live long enough to burden the garbage collector.
   */
  series(due: number, recurring: Recurring): () => void;
  /**
   * Runs `run` at the end of this turn of the event loop, or at once on a manual clock. Answers that are written
   * together wake up the client only once, and each wake-up takes a third of the time of a chat.
   */
  atEndOfTurn(run: () => void): void;
}

/**
 * Work that recurs. `Recurring` is an object, since a closure would be two objects. With thousands of streams, a
 * stream's objects are not in the processor's cache when its token is due, so each access to an object costs 0.2 µs.
 */
export interface Recurring {
  /** Does the due work. Returns the time of the next run, or `null` if there is no further work. */
  run(): number | null;
}

/** A manual clock: its time changes only when `advance` is called. */
export interface AdjustableMockClock extends MockClock {
  /** Advances the clock, and runs all work that becomes due, in the order of the due times. */
  advance(milliseconds: number): void;
}

export const once = (run: () => void): Recurring => ({
  run: () => {
    run();
    return null;
  },
});
