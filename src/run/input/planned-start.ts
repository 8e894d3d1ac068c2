/** When a load begins. The start is an instant on a clock that all machines of the run share. */
export interface PlannedStart {
  /** The start in ms since 1970, on the clock of the planned start. */
  readonly at: number;
  /** Returns the current time on the clock of the planned start, in ms since 1970. */
  readonly now: () => number;
  /** The name of the clock of the planned start, for messages. */
  readonly name: string;
  /** Advice for the user if the start has already passed. */
  readonly remedy: string;
}
