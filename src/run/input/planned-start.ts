/** When a load begins, by a clock that the machines of a run agree on. */
export interface PlannedStart {
  /** The start in ms since 1970. */
  readonly at: number;
  /** The current time of that clock, in ms since 1970. */
  readonly now: () => number;
  /** The name of that clock in messages. */
  readonly name: string;
  /** The advice to the user if the start came too early. */
  readonly remedy: string;
}
