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
   * Runs `recurring` at `due` as `at` does, then at each instant that it returns, until that is `null`; the returned
   * function calls off what is left. The next one needs no entry of its own: of a stream's token each would
   * live for one gap, long enough to be kept by the collector.
   */
  series(due: number, recurring: Recurring): () => void;
  /**
   * Runs `run` when whatever came with this turn of the event loop, or fell due in it, has been dealt with; at once where
   * no loop drives the time. Answers that are handed over one right after the other find their client awake from the second
   * on; with the work of a chat between them each has to wake it again, which cost a third of what a chat takes.
   */
  atEndOfTurn(run: () => void): void;
}

/**
 * What runs again and again. An object and no function: with thousands of streams nothing of one stream is in the
 * processor's cache when its next token is due, so each object on the way costs a fifth of a microsecond, and a
 * function is two, itself and what it closes over.
 */
export interface Recurring {
  /** Returns when it runs next, or `null` when it is done. */
  run(): number | null;
}

/** A clock that stands still until it is moved. */
export interface AdjustableMockClock extends MockClock {
  /** Moves on by so many milliseconds and runs what falls due on the way, in the order of the deadlines. */
  advance(milliseconds: number): void;
}

/** A series that ends with its first instant. */
export const once = (run: () => void): Recurring => ({
  run: () => {
    run();
    return null;
  },
});
