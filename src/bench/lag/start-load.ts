/** An open load whose starts are measured, alone or beside streams. */
export interface StartLoadOptions {
  /** Starts per second, those of streams included. */
  readonly rate: number;
  /** Streams in flight once the first of them has ended. */
  readonly streams: number;
  /** At this many requests in flight, due starts are dropped. */
  readonly inFlight: number;
  /** Length of a stream, in seconds. */
  readonly streamSeconds: number;
  /** Whole seconds, before all others, in which the rate rises evenly from its `rampStartShare`. */
  readonly rampSeconds: number;
  /** Whole seconds at the full rate before the measured ones. */
  readonly warmUp: number;
  /** Whole seconds that are measured. */
  readonly seconds: number;
}

/** The share of starts that begin a stream. */
export const streamShare = ({ rate, streams, streamSeconds }: StartLoadOptions): number =>
  streams / streamSeconds / rate;

export const rampStartShare = 0.1;

/** When a start is due, in ms from the beginning. */
export const startDueAt = ({ rate, rampSeconds }: StartLoadOptions, index: number): number => {
  const first = rate * rampStartShare;
  const startsInRamp = ((first + rate) / 2) * rampSeconds;
  if (index >= startsInRamp) return (rampSeconds + (index - startsInRamp) / rate) * 1000;
  // `first` × t + `growth` × t² / 2 starts are due by t.
  const growth = (rate - first) / rampSeconds;
  return ((Math.sqrt(first ** 2 + 2 * growth * index) - first) / growth) * 1000;
};
