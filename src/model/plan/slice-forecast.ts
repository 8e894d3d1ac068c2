/** The memory of a process of Weir without load, and of each request in flight, in bytes (`npm run bench memory`). */
export const weirMemory = { process: 180 * 2 ** 20, stream: 64 * 2 ** 10 } as const;

/** The assumed bytes of a streamed chunk with its head. */
export const bytesOfChunk = 250;

/** What each slice of a plan needs at the peak of its load. */
export interface SliceForecast {
  readonly slices: number;
  /** Requests in flight at once. */
  readonly streams: number;
  readonly sockets: number;
  /** A request counts as ten chunks. */
  readonly chunksPerSecond: number;
  /** Bytes. */
  readonly memory: number;
  readonly bytesPerSecond: number;
  /** The calibrated load that each slice is within; `null` if the number of slices was given. */
  readonly basis: {
    readonly streams: number;
    readonly tokensPerSecond: number;
    readonly workers: number;
    /** Whether the calibration found nothing wrong at that load. */
    readonly isValid: boolean;
  } | null;
}
