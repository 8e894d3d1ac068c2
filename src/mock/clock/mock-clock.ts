/** The machine's clock in the process; in tests a manual one, which need not wait for a window. */
export interface MockClock {
  /** Milliseconds on a monotonic clock. */
  now(): number;
  /** Milliseconds since 1970, UTC, for `Date` headers. */
  wall(): number;
  /** Runs `run` once `now()` has reached `due`, never before; the returned function cancels it. */
  at(due: number, run: () => void): () => void;
  /**
   * Runs `recurring` at `due`, then at each time that it returns, until that is `null`; the returned function
   * cancels the rest. One entry serves all times: an entry per token of a stream would live for one gap, long
   * enough for the garbage collector to promote it.
   */
  series(due: number, recurring: Recurring): () => void;
  /**
   * Runs `run` at the end of this turn of the event loop; at once if no loop drives the time. Answers that are
   * written in direct succession wake their client only once; with the work of a chat between them each one wakes it
   * again, which took a third of the time of a chat.
   */
  atEndOfTurn(run: () => void): void;
}

/**
 * Recurring work, as an object and not a function: with thousands of streams nothing of one stream is in the
 * processor's cache when its next token is due, so each object touched costs 0.2 µs, and a closure is two objects.
 */
export interface Recurring {
  /** Returns the time of its next run, or `null` when it is done. */
  run(): number | null;
}

/** A manual clock: it stands still until it is advanced. */
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
