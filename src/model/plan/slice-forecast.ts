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
