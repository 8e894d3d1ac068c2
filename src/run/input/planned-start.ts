/** When a load begins, on a clock that all machines of the run agree on. */
export interface PlannedStart {
  /** The start in ms since 1970, on that clock. */
  readonly at: number;
  /** Returns the current time on that clock, in ms since 1970. */
  readonly now: () => number;
  /** The name of that clock in messages. */
  readonly name: string;
  /** Advice for the user if the start has already passed. */
  readonly remedy: string;
}
