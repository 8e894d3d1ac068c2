/** The memory, in bytes, of a process of Weir without load, and of each request in flight (`npm run bench memory`). */
export const weirMemory = { process: 180 * 2 ** 20, stream: 64 * 2 ** 10 } as const;

/** The assumed size of a streamed chunk including its framing, in bytes. */
export const bytesOfChunk = 250;

export interface SliceForecast {
  readonly slices: number;
  /** The number of requests in flight at the same time. */
  readonly streams: number;
  readonly sockets: number;
  /** Streamed chunks per second, where a request counts as ten chunks. */
  readonly chunksPerSecond: number;
  /** The memory that the slice needs, in bytes. */
  readonly memory: number;
  readonly bytesPerSecond: number;
  /**
   * The load of a calibration that is at least the load of each slice; `null` if the user gave the number of slices.
   */
  readonly basis: {
    readonly streams: number;
    readonly tokensPerSecond: number;
    readonly workers: number;
    readonly isValid: boolean;
  } | null;
}
