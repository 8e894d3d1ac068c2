/** What one process of Weir takes without load, and for each request in flight, in bytes (`npm run bench memory`). */
export const weirMemory = { process: 180 * 2 ** 20, stream: 64 * 2 ** 10 } as const;

/** The bytes of a streamed chunk with its head; assumed. */
export const bytesOfChunk = 250;

/** What each slice of a plan needs at the peak of its load. */
export interface SliceForecast {
  readonly slices: number;
  /** Requests in flight at once. */
  readonly streams: number;
  readonly sockets: number;
  /** Streamed chunks a second, a request counted as ten. */
  readonly chunksPerSecond: number;
  /** Bytes. */
  readonly memory: number;
  /** Bytes a second that are read. */
  readonly bytesPerSecond: number;
  /** The calibrated load that each slice is within; `null` where the number of slices was given. */
  readonly basis: {
    readonly streams: number;
    readonly tokensPerSecond: number;
    readonly workers: number;
    /** Whether the calibration found nothing wrong at that load. */
    readonly isValid: boolean;
  } | null;
}
