/** An open load whose starts are measured, alone or beside streams. */
export interface StartOrder {
  /** Starts a second, those of streams among them. */
  readonly rate: number;
  /** Of them in flight at a time, once the first of them ended. */
  readonly streams: number;
  /** The most that may be in flight; what is due beyond is not begun. */
  readonly inFlight: number;
  /** How long a stream goes on, in seconds. */
  readonly lasting: number;
  /** Whole seconds before those that are measured. */
  readonly warmUp: number;
  /** Whole seconds that are measured. */
  readonly seconds: number;
}

/** The share of the starts that begin a stream, so that as many are in flight as are asked for. */
export const streamShare = ({ rate, streams, lasting }: StartOrder): number =>
  streams / lasting / rate;
