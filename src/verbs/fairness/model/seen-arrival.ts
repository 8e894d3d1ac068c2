/**
 * A part of the run with the noise, or a part without the noise. Times are in ms. Weir measures nothing before `from`.
 */
export interface NoiseBlock {
  readonly pair: number;
  readonly isNoisy: boolean;
  readonly begins: number;
  readonly from: number;
  readonly to: number;
}

/** The properties of an arrival that the judges use. */
export interface SeenArrival {
  /** The name of the population, which is the same in all blocks. */
  readonly population: string;
  readonly key: string;
  readonly due: number;
  readonly ended: number;
  /**
   * Whether the judges use the arrival's time: the arrival is of the measured kind, and the client did not plan to
   * abort the request.
   */
  readonly isTimed: boolean;
  /**
   * The bounds of the target's own time, in ms. `least` excludes all delay that the load generator may have added.
   * `most` includes this delay. For a failure, both bounds are infinite.
   */
  readonly least: number;
  readonly most: number;
  readonly isCompleted: boolean;
  /** The number of the arrival's attempts that got a 429. */
  readonly limited: number;
  readonly tokens: number;
  /** The number of requests that were sent for the arrival. */
  readonly sent: number;
  /** The cost in millionths of the currency; `null` if a price or a count is unknown. */
  readonly cost: number | null;
}

/** The observations of the run. `until` is when the load ended. Blocks that end later are not judged. */
export interface SeenRun {
  readonly blocks: readonly NoiseBlock[];
  readonly arrivals: readonly SeenArrival[];
  readonly quiet: string;
  readonly noisy: string;
  /** The percentile as a share, such as 0.95. */
  readonly q: number;
  readonly until: number;
}

export const dueWithin = <Arrival extends Pick<SeenArrival, 'due'>>(
  arrivals: readonly Arrival[],
  from: number,
  to: number,
): readonly Arrival[] => arrivals.filter(({ due }) => due >= from && due < to);
