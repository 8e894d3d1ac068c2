/** When a load begins, by a clock that the machines of a run agree on. */
export interface PlannedStart {
  /** In ms since 1970. */
  readonly at: number;
  /** That clock, in ms since 1970. */
  readonly now: () => number;
  /** How messages name it. */
  readonly name: string;
  /** What to do where it came too early. */
  readonly remedy: string;
}
