/** When a load begins. The start is an instant on a clock that all machines of the run share. */
export interface PlannedStart {
  /** The start in ms since 1970, on this clock. */
  readonly at: number;
  /** Returns the current time on this clock, in ms since 1970. */
  readonly now: () => number;
  /** The name of this clock, for messages. */
  readonly name: string;
  /** Advice for the user if the start has already passed. */
  readonly remedy: string;
}
