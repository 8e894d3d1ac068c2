/** The memory of a process of Weir without load, and of each request in flight, in bytes (`npm run bench memory`). */
export const weirMemory = { process: 180 * 2 ** 20, stream: 64 * 2 ** 10 } as const;

/** The assumed size of a streamed chunk with its head, in bytes. */
export const bytesOfChunk = 250;

/** The needs of each slice of a plan at the peak of its load. */
export interface SliceForecast {
  readonly slices: number;
  /** The number of requests in flight at once. */
  readonly streams: number;
  readonly sockets: number;
  /** The streamed chunks per second; a request counts as ten chunks. */
  readonly chunksPerSecond: number;
  /** The memory, in bytes. */
  readonly memory: number;
  readonly bytesPerSecond: number;
  /** The calibrated load that includes the load of each slice; `null` if the number of slices was given. */
  readonly basis: {
    readonly streams: number;
    readonly tokensPerSecond: number;
    readonly workers: number;
    /** Whether the calibration found nothing wrong at that load. */
    readonly isValid: boolean;
  } | null;
}
