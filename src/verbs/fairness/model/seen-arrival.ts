/** A stretch of the run with or without the noise; its first part, until `from`, is not measured. Times are in ms. */
export interface NoiseBlock {
  readonly pair: number;
  readonly isNoisy: boolean;
  readonly begins: number;
  readonly from: number;
  readonly to: number;
}

/** What the judges know of an arrival. */
export interface SeenArrival {
  /** The population, under one name in all blocks. */
  readonly population: string;
  readonly key: string;
  readonly due: number;
  readonly ended: number;
  /** Whether its time counts: it is of the measured kind, and the client was not to hang up. */
  readonly isTimed: boolean;
  /** The bounds of the target's own time, in ms: without and with what the load generator may have added; infinite for a failure. */
  readonly least: number;
  readonly most: number;
  readonly isCompleted: boolean;
  /** How many of its attempts were answered 429. */
  readonly limited: number;
  readonly tokens: number;
  /** How many requests were sent for it. */
  readonly sent: number;
  /** In millionths of the currency; `null` if a price or a count is unknown. */
  readonly cost: number | null;
}

/** The end of the load or of what was seen of it: blocks that end later are not judged. */
export interface SeenRun {
  readonly blocks: readonly NoiseBlock[];
  readonly arrivals: readonly SeenArrival[];
  readonly quiet: string;
  readonly noisy: string;
  /** The percentile, such as 0.95. */
  readonly q: number;
  readonly until: number;
}

export const dueWithin = <Arrival extends Pick<SeenArrival, 'due'>>(
  arrivals: readonly Arrival[],
  from: number,
  to: number,
): readonly Arrival[] => arrivals.filter(({ due }) => due >= from && due < to);
